/** What `/completions` answers with, whole or in chunks. @module */
import type { TokenLogprob } from '../../../core/events/token-logprob.js';
import type { Compatibility } from '../compatibility.js';
import type { CompletionHead } from '../generation/completion-head.js';
import { logprobEntries } from '../generation/logprobs-object.js';

/** The lists that text completion clients know, and beside them `content` as in chat completions. */
export interface CompletionLogprobs {
  tokens: string[];
  token_logprobs: number[];
  top_logprobs: Record<string, number>[];
  /** Where each token starts in the choice's text, in UTF-16 units. */
  text_offset: number[];
  content: Record<string, unknown>[];
}

export interface CompletionChoice {
  index: number;
  text: string;
  logprobs: CompletionLogprobs | null;
  finish_reason: 'stop' | 'length' | null;
}

export interface CompletionObject {
  id: string;
  object: Compatibility['completionObject'];
  created: number;
  model: string;
  system_fingerprint: string;
  choices: CompletionChoice[];
  usage?: Record<string, unknown> | null;
}

/** A completion or chunk with these choices. */
export function completionObject(
  head: CompletionHead,
  choices: CompletionChoice[],
  { completionObject: object }: Compatibility,
): CompletionObject {
  const { id, created, model, systemFingerprint } = head;
  return { id, object, created, model, system_fingerprint: systemFingerprint, choices };
}

/** Log-probabilities of tokens that follow `offset` units of text; null when none were asked for. */
export function completionLogprobs(tokens: readonly TokenLogprob[] | undefined, offset = 0): CompletionLogprobs | null {
  if (!tokens) return null;
  let position = offset;
  const offsets = tokens.map(({ token }) => (position += token.length) - token.length);
  return {
    tokens: tokens.map(({ token }) => token),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: tokens.map(({ top }) => Object.fromEntries(top.map(({ token, logprob }) => [token, logprob]))),
    text_offset: offsets,
    content: logprobEntries(tokens),
  };
}
