/** Turns the chunks of a remote service into token events. @module */
import * as v from 'valibot';
import type { CountsEvent, TokenEvent } from '../../../core/events/token-event.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import { ChoiceReader } from './choice-reader.js';
import { chunkSchema, type UpstreamChunk } from './chunk-schema.js';
import { broken } from './read-event-stream.js';
import { streamedError } from './upstream-error.js';

/**
 * Events of all choices that were asked for, those of a chunk together. The service's counts come last, so the prompt is
 * announced without any.
 * @throws InferenceError of the service's own error event; `unavailable` when the answer makes no sense or is cut
 */
export async function* readChunks(
  chunks: AsyncIterable<unknown>,
  request: GenerationRequest,
): AsyncGenerator<TokenEvent[], void> {
  const choices = Array.from({ length: request.n }, (_, index) => new ChoiceReader(index, request));
  let usage: UpstreamChunk['usage'];
  const prompt: TokenEvent[] = [{ type: 'prompt', promptTokens: 0, cachedTokens: 0 }];
  for await (const chunk of chunks) {
    const read = readChunk(chunk);
    usage = read.usage ?? usage;
    const pieces = read.choices.flatMap((part) => {
      const choice = choices[part.index];
      if (!choice) throw broken('answered a choice that was not asked for');
      return [...choice.read(part)];
    });
    // The first chunk often has nothing but a role: no token has come yet.
    if (pieces.length === 0) continue;
    yield [...prompt.splice(0), ...pieces];
  }
  if (choices.some((choice) => choice.end === undefined)) throw broken('broke off its answer');
  const counts = usage ? [countsOf(usage, choices)] : [];
  yield [...prompt, ...counts, ...choices.flatMap(({ end }) => end ?? [])];
}

function readChunk(chunk: unknown): UpstreamChunk {
  if (typeof chunk === 'object' && chunk !== null && 'error' in chunk && chunk.error) throw streamedError(chunk);
  const read = v.safeParse(chunkSchema, chunk);
  if (!read.success) throw broken('sent a chunk that makes no sense', new v.ValiError(read.issues));
  return read.output;
}

function countsOf(usage: NonNullable<UpstreamChunk['usage']>, choices: readonly ChoiceReader[]): CountsEvent {
  const seen = choices.reduce((sum, { reasoningPieces }) => sum + reasoningPieces, 0);
  // Gemini and Grok count the reasoning only into the total.
  const completionTokens = Math.max(usage.completion_tokens, usage.total_tokens - usage.prompt_tokens);
  return {
    type: 'counts',
    promptTokens: usage.prompt_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    completionTokens,
    reasoningTokens: Math.min(usage.completion_tokens_details?.reasoning_tokens ?? seen, completionTokens),
  };
}
