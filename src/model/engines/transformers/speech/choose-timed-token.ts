/** Greedy choice where the model also writes times: Whisper's grammar of times. @module */
import { type Choice, chooseToken } from './choose-token.js';
import type { SpeechFacts, TimeTokens } from './speech-facts.js';

/**
 * The likeliest token that may follow. Times come in pairs around each phrase (the last one may lack its second), never run
 * backwards, and a window begins with one. All times together weigh as much as one token does.
 * @param written what the window has so far, times included
 */
export function chooseTimedToken(
  logits: Float32Array,
  written: readonly number[],
  facts: SpeechFacts,
  times: TimeTokens,
): Choice {
  const isTime = (token: number | undefined): boolean => token !== undefined && token >= times.first;
  const [before, last] = [written.at(-2), written.at(-1)];
  const opens = isTime(last) && (written.length === 1 || isTime(before));
  const text = (): Choice => chooseToken(logits, facts.endToken + 1, facts.suppressed);
  if (opens) return text();
  const earliest = Math.max(times.first, written.findLast(isTime) ?? times.first);
  // A phrase takes time; what begins at once after another's end may begin with the same token.
  const from = isTime(last) || written.length === 0 ? earliest : earliest + 1;
  const to = written.length === 0 ? Math.min(times.lastInitial, times.last) : times.last;
  const time = likeliestTime(logits, from, to);
  if (written.length === 0) return { token: time.token, logprob: 0 };
  if (isTime(last)) {
    return time.weight > logits[facts.endToken]!
      ? { token: time.token, logprob: 0 }
      : { token: facts.endToken, logprob: 0 };
  }
  const word = text();
  return time.weight > logits[word.token]! ? { token: time.token, logprob: 0 } : word;
}

/** The likeliest of some times, and the logit of all together; of none, the lightest there is. */
function likeliestTime(logits: Float32Array, from: number, to: number): { token: number; weight: number } {
  let token = from;
  for (let id = from; id <= to; id++) if (logits[id]! > logits[token]!) token = id;
  if (from > to) return { token: to, weight: -Infinity };
  let sum = 0;
  for (let id = from; id <= to; id++) sum += Math.exp(logits[id]! - logits[token]!);
  return { token, weight: logits[token]! + Math.log(sum) };
}
