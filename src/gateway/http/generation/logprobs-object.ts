/** Log-probabilities as chat and text completions show them. @module */
import type { TokenCandidate, TokenLogprob } from '../../../core/events/token-logprob.js';

/** `{token, logprob, bytes, top_logprobs}` per token */
export function logprobEntries(logprobs: readonly TokenLogprob[]): Record<string, unknown>[] {
  return logprobs.map((entry) => ({ ...candidate(entry), top_logprobs: entry.top.map(candidate) }));
}

/** `{content: [{token, logprob, bytes, top_logprobs}], refusal: null}`: no model here refuses in a channel of its own. */
export function logprobsObject(logprobs: readonly TokenLogprob[]): Record<string, unknown> {
  return { content: logprobEntries(logprobs), refusal: null };
}

function candidate({ token, logprob, bytes }: TokenCandidate): Record<string, unknown> {
  return { token, logprob, bytes };
}
