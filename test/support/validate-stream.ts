/**
 * Is this a well-formed stream of its dialect? Pairing, order, indices and ids; every test of a stream runs it, and
 * whatever an official client would choke on should fail here first.
 */
import type { ReceivedEvent } from './read-events.js';
import { validateChunks } from './stream-rules/chunks.js';
import { validateMessages } from './stream-rules/messages.js';
import { validateResponses } from './stream-rules/responses.js';
import type { Demand, StreamDialect } from './stream-rules/stream-validator.js';
import { validateTranscript } from './stream-rules/transcript.js';

export type { StreamDialect } from './stream-rules/stream-validator.js';

export interface ValidateOptions {
  /**
   * - `complete`: the stream came to its regular end (cut by a token limit included)
   * - `failed`: it ends with the dialect's error
   * - `aborted`: the reader went away, so any beginning of a good stream will do
   * @default 'complete'
   */
  end?: 'complete' | 'failed' | 'aborted';
}

/** A broken rule of a stream, with the event it was found at. */
export class StreamRuleError extends Error {}

const VALIDATORS = {
  'chat-completions': validateChunks,
  completions: validateChunks,
  messages: validateMessages,
  responses: validateResponses,
  audio: validateTranscript,
};

/** @throws StreamRuleError at the first broken rule */
export function validateStream(
  dialect: StreamDialect,
  events: readonly ReceivedEvent[],
  { end = 'complete' }: ValidateOptions = {},
): void {
  let position = 0;
  const demand: Demand = (condition, rule) => {
    if (!condition) throw new StreamRuleError(`event ${position}: ${rule}\n${events[position]?.data ?? '(end)'}`);
  };
  const validator = VALIDATORS[dialect](demand, dialect);
  for (; position < events.length; position += 1) {
    const event = events[position]!;
    validator.take(event.data === '[DONE]' ? '[DONE]' : JSON.parse(event.data), event.event);
  }
  if (end !== 'aborted') validator.end(end);
}
