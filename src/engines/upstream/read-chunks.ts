/** Turns the chunks of a remote service's streamed answer into token events. @module */
import * as v from 'valibot';
import type {
  ChannelPart,
  ChoiceEndEvent,
  CountsEvent,
  TokenCandidate,
  TokenEvent,
  TokenLogprob,
} from '../../core/events/token-event.js';
import type { GenerationRequest } from '../../core/request/generation-request.js';
import { ArgumentsMender } from '../../core/json/arguments-mender.js';
import { broken } from './read-event-stream.js';
import { streamedError } from './upstream-error.js';
import { recordOf } from '../../core/schema/record-of.js';

/**
 * Events of all choices, one batch per chunk. The service sends its token counts last, so the prompt event has none.
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
      if (!choice) throw broken('sent a choice that was not requested');
      return [...choice.read(part)];
    });
    // The first chunk often has only a role and no token.
    if (pieces.length === 0) continue;
    yield [...prompt.splice(0), ...pieces];
  }
  if (choices.some((choice) => choice.end === undefined)) throw broken('ended its answer early');
  const counts = usage ? [countsOf(usage, choices)] : [];
  yield [...prompt, ...counts, ...choices.flatMap(({ end }) => end ?? [])];
}

function readChunk(chunk: unknown): UpstreamChunk {
  if (typeof chunk === 'object' && chunk !== null && 'error' in chunk && chunk.error) throw streamedError(chunk);
  const read = v.safeParse(chunkSchema, chunk);
  if (!read.success) throw broken('sent a chunk in an unknown format', new v.ValiError(read.issues));
  return read.output;
}

function countsOf(usage: NonNullable<UpstreamChunk['usage']>, choices: readonly ChoiceReader[]): CountsEvent {
  const pieces = choices.reduce((sum, { reasoningPieces }) => sum + reasoningPieces, 0);
  // Gemini and Grok count reasoning only in the total.
  const completionTokens = Math.max(usage.completion_tokens, usage.total_tokens - usage.prompt_tokens);
  return {
    type: 'counts',
    promptTokens: usage.prompt_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    completionTokens,
    reasoningTokens: Math.min(usage.completion_tokens_details?.reasoning_tokens ?? pieces, completionTokens),
  };
}

/** Finish reasons for the token limit; all others mean that the model ended the answer. */
const LENGTH_REASONS = new Set(['length', 'model_length', 'max_tokens']);

/** Finish reasons that mean a failure of the service. */
const FAILURE_REASONS = new Set(['error', 'insufficient_system_resource']);

interface PartialToolCall {
  index: number;
  id: string | undefined;
  hasArguments: boolean;
  mender: ArgumentsMender;
}

/** Turns the chunks of one choice into pieces. */
class ChoiceReader {
  readonly index: number;
  readonly #request: GenerationRequest;
  reasoningPieces = 0;
  end: ChoiceEndEvent | undefined;
  #rawOutput = '';
  #call: PartialToolCall | undefined;

  constructor(index: number, request: GenerationRequest) {
    this.index = index;
    this.#request = request;
  }

  /** @throws InferenceError `unavailable` when the chunk is not valid, or reports a failure */
  *read(choice: UpstreamChoice): Generator<TokenEvent> {
    const { topLogprobs } = this.#request;
    const { reasoning, content } = textsOf(choice);
    if (reasoning !== '') {
      this.reasoningPieces += 1;
      yield* this.#endCall();
      yield this.#piece({ type: 'reasoning', text: reasoning });
    }
    // Some services send them without being asked.
    const logprobs = choice.logprobs && topLogprobs !== undefined ? readLogprobs(choice.logprobs, topLogprobs) : [];
    if (content !== '' || logprobs.length > 0) {
      yield* this.#endCall();
      yield this.#piece({ type: 'text', text: content, ...(logprobs.length > 0 && { logprobs }) });
    }
    for (const call of choice.delta?.tool_calls ?? []) yield* this.#readCall(call);
    if (choice.finish_reason) yield* this.#finish(choice.finish_reason, choice.stop_reason);
  }

  *#finish(finishReason: string, stopReason: unknown): Generator<TokenEvent> {
    if (FAILURE_REASONS.has(finishReason)) throw broken('ended its answer early');
    const reason = LENGTH_REASONS.has(finishReason) ? 'length' : 'stop';
    // A tool call that was cut by the token limit has no end.
    if (reason !== 'length') yield* this.#endCall();
    else if (this.#call) yield* this.#giveArguments(this.#call.mender.cut());
    const stopSequence =
      finishReason === 'stop' ? this.#request.stop.find((sequence) => sequence === stopReason) : undefined;
    this.end = {
      type: 'end',
      choice: this.index,
      reason,
      ...(stopSequence !== undefined && { stopSequence }),
      parts: [],
      rawOutput: this.#rawOutput,
      cutBeforeCall: false,
    };
  }

  /** Finds the call of a piece: some services number calls, some only give ids, and some a new id with each piece. */
  *#readCall({ index, id, function: { name, arguments: text } }: UpstreamToolCall): Generator<TokenEvent> {
    const current = this.#call;
    const isNamedAnew = current && name && (id ? id !== current.id : !current.id && current.hasArguments);
    if (current?.index !== index || isNamedAnew) {
      if (!name) throw broken('sent a tool call without a name');
      yield* this.#endCall();
      this.#call = { index, id: id || undefined, hasArguments: false, mender: new ArgumentsMender() };
      yield this.#piece({ type: 'tool-call-start', name });
    }
    if (!text) return;
    this.#call!.hasArguments = true;
    yield* this.#giveArguments(this.#call!.mender.push(text));
  }

  *#giveArguments(text: string): Generator<TokenEvent> {
    if (text !== '') yield this.#piece({ type: 'tool-call-arguments', text });
  }

  *#endCall(): Generator<TokenEvent> {
    if (!this.#call) return;
    // Some services send nothing for a call without arguments.
    yield* this.#giveArguments(this.#call.mender.end());
    this.#call = undefined;
    yield this.#piece({ type: 'tool-call-end' });
  }

  #piece(part: ChannelPart): TokenEvent {
    if ('text' in part) this.#rawOutput += part.text;
    return { type: 'piece', choice: this.index, parts: [part], isReasoning: part.type === 'reasoning' };
  }
}

function textsOf({ delta, text }: UpstreamChoice): { reasoning: string; content: string } {
  const reasoning = delta?.reasoning_content || delta?.reasoning || '';
  const content = delta?.content;
  if (!Array.isArray(content)) return { reasoning, content: content ?? delta?.refusal ?? text ?? '' };
  const thoughts = content.flatMap(({ thinking }) => thinking ?? []);
  return { reasoning: reasoning + joined(thoughts), content: joined(content) };
}

function joined(parts: readonly { text?: string | null | undefined }[]): string {
  return parts.map(({ text }) => text ?? '').join('');
}

/**
 * Log-probabilities as token events have them, one per token.
 * @param topLogprobs number of alternatives; text completions may give one more
 */
function readLogprobs(reported: UpstreamLogprobs, topLogprobs: number): TokenLogprob[] {
  const { content, tokens, token_logprobs, top_logprobs } = reported;
  const best = (candidates: readonly TokenCandidate[]): TokenCandidate[] =>
    candidates.toSorted((a, b) => b.logprob - a.logprob).slice(0, topLogprobs);
  if (content)
    return content.map((token) => ({ ...candidateOf(token), top: best(token.top_logprobs.map(candidateOf)) }));
  return tokens.map((token, nth) => {
    const others = Object.entries(top_logprobs?.[nth] ?? {});
    return {
      ...candidateOf({ token, logprob: token_logprobs[nth] ?? 0 }),
      top: best(others.map(([other, logprob]) => candidateOf({ token: other, logprob }))),
    };
  });
}

const encoder = new TextEncoder();

function candidateOf(reported: {
  token: string;
  logprob: number;
  bytes?: number[] | null | undefined;
}): TokenCandidate {
  const { token, logprob, bytes } = reported;
  return { token, bytes: bytes ?? [...encoder.encode(token)], logprob: Math.min(0, logprob) };
}

/** The fields of a streamed chunk of a remote service that are read. Others are ignored. */
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const text = v.nullish(v.string());

const candidate = v.object({ token: v.string(), logprob: v.number(), bytes: v.nullish(v.array(v.number())) });

const logprobs = v.object({
  content: v.nullish(v.array(v.object({ ...candidate.entries, top_logprobs: v.nullish(v.array(candidate), []) }))),
  // Text completions: three lists of one length.
  tokens: v.optional(v.array(v.string()), []),
  token_logprobs: v.optional(v.array(v.nullable(v.number())), []),
  top_logprobs: v.optional(v.nullable(v.array(v.nullable(recordOf(v.string(), v.number())))), []),
});

const toolCall = v.object({
  index: v.nullish(count, 0),
  id: text,
  function: v.nullish(v.object({ name: text, arguments: text }), {}),
});

const part = v.object({ text, thinking: v.nullish(v.array(v.object({ text }))) });

const delta = v.object({
  // Reasoning models of Mistral send parts.
  content: v.nullish(v.union([v.string(), v.array(part)])),
  refusal: text,
  // Two names for the same field.
  reasoning: text,
  reasoning_content: text,
  tool_calls: v.nullish(v.array(toolCall)),
});

const choice = v.object({
  index: v.nullish(count, 0),
  delta: v.nullish(delta),
  /** Text completions. */
  text,
  // Invalid values are ignored: Together sends a number here.
  logprobs: v.fallback(v.nullish(logprobs), undefined),
  /** Null or empty until the end. */
  finish_reason: text,
  /** A string: the stop sequence that ended the answer. */
  stop_reason: v.optional(v.unknown()),
});

const usage = v.object({
  prompt_tokens: count,
  completion_tokens: v.nullish(count, 0),
  total_tokens: v.nullish(count, 0),
  prompt_tokens_details: v.nullish(v.object({ cached_tokens: v.nullish(count) })),
  completion_tokens_details: v.nullish(v.object({ reasoning_tokens: v.nullish(count) })),
});

const chunkSchema = v.object({
  choices: v.nullish(v.array(choice), []),
  usage: v.fallback(v.nullish(usage), undefined),
});

type UpstreamChunk = v.InferOutput<typeof chunkSchema>;
type UpstreamChoice = UpstreamChunk['choices'][number];
type UpstreamToolCall = v.InferOutput<typeof toolCall>;
type UpstreamLogprobs = v.InferOutput<typeof logprobs>;
