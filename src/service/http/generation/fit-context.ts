/** Conversations that are longer than the model's context: the oldest parts are left out. @module */
import { type InferenceError, isInferenceError } from '../../../core/errors/inference-error.js';
import { yieldToEventLoop } from '../../../core/platform/pause.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { Message } from '../../../core/request/message.js';

interface Fitting<Rendered> {
  /** Starts the generation of a request. */
  generate: (request: GenerationRequest) => AsyncIterable<readonly Rendered[]>;
  /** Tokens of a request's prompt. */
  count: (request: GenerationRequest) => Promise<number>;
  /** Told how many messages were left out, before the first event. */
  onDropped?: (messages: number) => void;
  /** What is left out as one, the oldest first, of all that may be; the last one stays. */
  partsOf: (messages: readonly Message[]) => Message[][];
}

/** The generation of the request, or where its prompt is too long of the same with as many of the latest parts as fit. */
export async function* generateFitting<Rendered>(
  request: GenerationRequest,
  { generate, count, onDropped, partsOf }: Fitting<Rendered>,
): AsyncGenerator<readonly Rendered[], void, undefined> {
  let tooLong: InferenceError;
  try {
    yield* generate(request);
    return;
  } catch (thrown) {
    if (!isTooLong(thrown)) throw thrown;
    tooLong = thrown;
  }
  const { contextLength } = tooLong.details;
  const { prompt } = request;
  if (contextLength === undefined || prompt.type !== 'chat') throw tooLong;
  const { messages } = prompt;
  const parts = partsOf(messages);
  const without = (dropped: number): GenerationRequest => {
    const gone = new Set(parts.slice(0, dropped).flat());
    return { ...request, prompt: { type: 'chat', messages: messages.filter((message) => !gone.has(message)) } };
  };
  const fits = async (dropped: number): Promise<boolean> => {
    // A model that counts in this thread answers no one else meanwhile.
    await yieldToEventLoop();
    try {
      return (await count(without(dropped))) < contextLength;
    } catch (thrown) {
      if (isTooLong(thrown)) return false;
      throw thrown;
    }
  };
  // The last one stays. A longer conversation never fits where a shorter one does not.
  let [least, most] = [1, parts.length - 1];
  if (most < least || !(await fits(most))) throw tooLong;
  while (least < most) {
    const middle = Math.floor((least + most) / 2);
    if (await fits(middle)) most = middle;
    else least = middle + 1;
  }
  onDropped?.(parts.slice(0, most).flat().length);
  yield* generate(without(most));
}

function isTooLong(thrown: unknown): thrown is InferenceError {
  return isInferenceError(thrown) && thrown.code === 'context_length_exceeded';
}

/** What a user said with all that follows until they speak again: a call stays with its results. System messages are of no turn. */
export function groupIntoTurns(messages: readonly Message[]): Message[][] {
  const turns: Message[][] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    if (message.role === 'user' || turns.length === 0) turns.push([]);
    turns.at(-1)!.push(message);
  }
  return turns;
}

/** Single messages, where a call stays with its results. @param kept how many of the first messages are never left out */
export function groupSingly(messages: readonly Message[], kept: number): Message[][] {
  const parts: Message[][] = [];
  const open = new Set<string>();
  for (const message of messages.slice(kept)) {
    if (open.size === 0) parts.push([]);
    parts.at(-1)!.push(message);
    if (message.role === 'assistant') for (const { id } of message.toolCalls) open.add(id);
    if (message.role === 'tool') open.delete(message.toolCallId);
  }
  return parts;
}
