/** Chunks of a remote service in, the events of the house out. @module */
import * as v from 'valibot';
import type { ChannelPart } from '../../events/channel-part.js';
import type { CountsEvent, TokenCandidate, TokenEvent, TokenLogprob } from '../../events/token-event.js';
import {
  chunkSchema,
  type UpstreamChoice,
  type UpstreamChunk,
  type UpstreamLogprobs,
  type UpstreamToolCall,
} from './chunk-schema.js';
import { broken } from './read-event-stream.js';
import { streamedError } from './upstream-error.js';

/**
 * Events of `n` choices. The service's counts come last, so the prompt is announced without any.
 * @throws InferenceError of the service's own error event; `unavailable` when the answer makes no sense or is cut
 */
export async function* readChunks(chunks: AsyncIterable<unknown>, n: number): AsyncGenerator<TokenEvent, void> {
  const choices = Array.from({ length: n }, (_, index) => new ChoiceReader(index));
  let usage: UpstreamChunk['usage'];
  yield {
    type: 'prompt',
    promptTokens: 0,
    cachedTokens: 0,
    toolFormat: 'none',
    reasoningFormat: 'none',
    reasoningOpen: false,
  };
  for await (const chunk of chunks) {
    const read = readChunk(chunk);
    usage = read.usage ?? usage;
    for (const part of read.choices) {
      const choice = choices[part.index];
      if (!choice) throw broken('answered a choice that was not asked for');
      yield* choice.read(part);
    }
  }
  if (choices.some((choice) => choice.end === undefined)) throw broken('broke off its answer');
  if (usage) yield countsOf(usage, choices);
  for (const { index, end } of choices) yield { type: 'end', choice: index, text: '', ...end! };
}

function readChunk(chunk: unknown): UpstreamChunk {
  if (typeof chunk === 'object' && chunk !== null && 'error' in chunk && chunk.error) throw streamedError(chunk);
  const read = v.safeParse(chunkSchema, chunk);
  if (!read.success) throw broken('sent a chunk that makes no sense', new v.ValiError(read.issues));
  return read.output;
}

function countsOf(usage: NonNullable<UpstreamChunk['usage']>, choices: readonly ChoiceReader[]): CountsEvent {
  const seen = choices.reduce((sum, { reasoningPieces }) => sum + reasoningPieces, 0);
  return {
    type: 'counts',
    promptTokens: usage.prompt_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    completionTokens: usage.completion_tokens,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? Math.min(seen, usage.completion_tokens),
  };
}

class ChoiceReader {
  readonly index: number;
  reasoningPieces = 0;
  end: { reason: 'stop' | 'length'; stopSequence?: string } | undefined;
  #call: { index: number; id: string | undefined } | undefined;

  constructor(index: number) {
    this.index = index;
  }

  *read(choice: UpstreamChoice): Generator<TokenEvent> {
    const { delta, text, finish_reason: reason, stop_reason: stopReason } = choice;
    const reasoning = delta?.reasoning_content ?? delta?.reasoning ?? '';
    if (reasoning !== '') {
      this.reasoningPieces += 1;
      yield this.#piece({ type: 'reasoning', text: reasoning });
    }
    const content = delta?.content ?? text ?? '';
    const logprobs = choice.logprobs ? logprobsOf(choice.logprobs) : [];
    if (content !== '' || logprobs.length > 0) {
      yield* this.#endCall();
      yield { ...this.#piece({ type: 'text', text: content }), ...(logprobs.length > 0 && { logprobs }) };
    }
    for (const call of delta?.tool_calls ?? []) yield* this.#readCall(call);
    if (reason == null) return;
    // A call that the cap cut stays open: it is no call.
    if (reason !== 'length') yield* this.#endCall();
    this.end = {
      reason: reason === 'length' ? 'length' : 'stop',
      ...(reason === 'stop' && typeof stopReason === 'string' && { stopSequence: stopReason }),
    };
  }

  /** Calls follow each other; some services count them, some only give each its id. */
  *#readCall({ index, id, function: { name, arguments: text } }: UpstreamToolCall): Generator<TokenEvent> {
    const current = this.#call;
    const isNext = current?.index !== index || (id && current.id && id !== current.id);
    if (isNext) {
      if (!name) throw broken('sent a tool call without a name');
      yield* this.#endCall();
      this.#call = { index, id: id ?? undefined };
      yield this.#piece({ type: 'tool-call-start', name });
    }
    if (text) yield this.#piece({ type: 'tool-call-arguments', text });
  }

  *#endCall(): Generator<TokenEvent> {
    if (!this.#call) return;
    this.#call = undefined;
    yield this.#piece({ type: 'tool-call-end' });
  }

  #piece(part: ChannelPart): TokenEvent {
    return { type: 'piece', choice: this.index, part };
  }
}

function logprobsOf({ content, tokens, token_logprobs, top_logprobs }: UpstreamLogprobs): TokenLogprob[] {
  if (content) return content.map((token) => ({ ...candidateOf(token), top: token.top_logprobs.map(candidateOf) }));
  return tokens.map((token, place) => ({
    ...candidateOf({ token, logprob: token_logprobs[place] ?? 0 }),
    top: Object.entries(top_logprobs?.[place] ?? {})
      .map(([other, logprob]) => candidateOf({ token: other, logprob }))
      .toSorted((a, b) => b.logprob - a.logprob),
  }));
}

const encoder = new TextEncoder();

function candidateOf(said: { token: string; logprob: number; bytes?: number[] | null | undefined }): TokenCandidate {
  const { token, logprob, bytes } = said;
  return { token, bytes: bytes ?? [...encoder.encode(token)], logprob: Math.min(0, logprob) };
}
