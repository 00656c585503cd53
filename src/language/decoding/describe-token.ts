/** A token as clients read it, with its log-probability. @module */
import type { TokenCandidate, TokenLogprob } from '../../core/events/token-event.js';
import type { TextTokenizer } from '../prompt/text-tokenizer.js';
import type { LogProbabilities } from '../sampling/adjust-logits.js';

const characters = new TextDecoder();

/** @param top the most likely tokens in its place */
export function describeToken(
  tokenizer: TextTokenizer,
  { token, logprob }: LogProbabilities['top'][number],
  top: LogProbabilities['top'],
): TokenLogprob {
  return {
    ...candidate(tokenizer, token, logprob),
    top: top.map((other) => candidate(tokenizer, other.token, other.logprob)),
  };
}

function candidate(tokenizer: TextTokenizer, token: number, logprob: number): TokenCandidate {
  const bytes = tokenizer.bytesOf(token);
  return { token: characters.decode(bytes), bytes: [...bytes], logprob };
}
