/** What all answers of one text or chat completion share. @module */
import type { HttpContext } from '../http-context.js';
import type { ChoiceEnd } from './output-failure-error.js';
import { systemFingerprint } from './system-fingerprint.js';

/** The same in every chunk of a stream. */
export interface CompletionHead {
  /** Unique, e.g. `chatcmpl-…`. */
  id: string;
  /** Unix seconds. */
  created: number;
  /** Catalog id of the model used. */
  model: string;
  systemFingerprint: string;
}

/** Completes the head of an answer that has begun: only its start tells which model answers. */
export type HeadOf = (model: string) => CompletionHead;

/** The head of an answer that begins now. @param prefix of its id */
export function beginHead(prefix: 'chatcmpl' | 'cmpl', context: HttpContext): HeadOf {
  const id = `${prefix}-${context.createId()}`;
  const created = Math.floor(context.now() / 1000);
  return (model) => ({
    id,
    created,
    model,
    systemFingerprint: systemFingerprint(context.inference.catalog.require(model)),
  });
}

/** The reason as chat completions spell it. What was cut inside a call ends by its length, whatever came before. */
export function finishReason({ reason, failure }: ChoiceEnd): 'stop' | 'length' | 'tool_calls' {
  if (failure) return 'length';
  return reason === 'tool-calls' ? 'tool_calls' : reason;
}
