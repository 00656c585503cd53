/** Log-probabilities as chat and text completions show them. @module */
import type { TokenCandidate, TokenLogprob } from '../../events/token-event.js';

/** `{content: [{token, logprob, bytes, top_logprobs}]}` */
export function logprobsObject(logprobs: readonly TokenLogprob[]): Record<string, unknown> {
  return { content: logprobs.map((entry) => ({ ...candidate(entry), top_logprobs: entry.top.map(candidate) })) };
}

function candidate({ token, logprob, bytes }: TokenCandidate): Record<string, unknown> {
  return { token, logprob, bytes };
}
