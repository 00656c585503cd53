/** Log-probabilities of a remote service as token events carry them. @module */
import type { TokenCandidate, TokenLogprob } from '../../../core/events/token-logprob.js';
import type { UpstreamLogprobs } from './chunk-schema.js';

/**
 * One for each token.
 * @param topLogprobs how many alternatives were asked for; text completions may give one more
 */
export function readLogprobs(said: UpstreamLogprobs, topLogprobs: number): TokenLogprob[] {
  const { content, tokens, token_logprobs, top_logprobs } = said;
  const best = (candidates: readonly TokenCandidate[]): TokenCandidate[] =>
    candidates.toSorted((a, b) => b.logprob - a.logprob).slice(0, topLogprobs);
  if (content)
    return content.map((token) => ({ ...candidateOf(token), top: best(token.top_logprobs.map(candidateOf)) }));
  return tokens.map((token, place) => {
    const others = Object.entries(top_logprobs?.[place] ?? {});
    return {
      ...candidateOf({ token, logprob: token_logprobs[place] ?? 0 }),
      top: best(others.map(([other, logprob]) => candidateOf({ token: other, logprob }))),
    };
  });
}

const encoder = new TextEncoder();

function candidateOf(said: { token: string; logprob: number; bytes?: number[] | null | undefined }): TokenCandidate {
  const { token, logprob, bytes } = said;
  return { token, bytes: bytes ?? [...encoder.encode(token)], logprob: Math.min(0, logprob) };
}
