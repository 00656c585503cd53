/** Decoding for Whisper: which token comes next, with and without time tokens. @module */
import type { RandomNumbers } from '../../../language/sampling/random.js';
import { WrongOutput } from '../../../core/errors/wrong-output.js';
import type { WhisperConfig, TimeTokens } from './whisper-config.js';

/** The chosen token. */
export interface TokenChoice {
  token: number;
  /** Natural logarithm of its probability among the allowed tokens. */
  logprob: number;
}

/** How a token is sampled instead of taking the most likely one. */
export interface WindowSampling {
  /** Above 0: higher ones make unlikely tokens likelier. */
  temperature: number;
  random: RandomNumbers;
}

/**
 * The most likely, or one sampled, of the tokens 0 to `limit` (exclusive) that are not suppressed. Whisper's vocabularies have text first,
 * then the end token, then special tokens, so a limit keeps times and languages out of the text.
 * @throws WrongOutput when logits are NaN, infinite or missing
 */
export function chooseToken(
  logits: Float32Array,
  limit: number,
  suppressed: ReadonlySet<number>,
  sampling?: WindowSampling,
): TokenChoice {
  let token = limit - 1;
  let highest = -Infinity;
  for (let id = 0; id < limit; id++) {
    if (logits[id]! > highest && !suppressed.has(id)) {
      highest = logits[id]!;
      token = id;
    }
  }
  let sum = 0;
  for (let id = 0; id < limit; id++) if (!suppressed.has(id)) sum += Math.exp(logits[id]! - highest);
  if (!(sum > 0)) throw new WrongOutput('its logits choose no token, because some are NaN, infinite or missing');
  if (!sampling) return { token, logprob: -Math.log(sum) };
  const weightOf = (id: number): number =>
    suppressed.has(id) ? 0 : Math.exp((logits[id]! - highest) / sampling.temperature);
  let total = 0;
  for (let id = 0; id < limit; id++) total += weightOf(id);
  let left = sampling.random() * total;
  for (let id = 0; id < limit; id++) {
    const weight = weightOf(id);
    left -= weight;
    if (left < 0 && weight > 0) return { token: id, logprob: logits[id]! - highest - Math.log(sum) };
  }
  return { token, logprob: -Math.log(sum) };
}

/** The probability of one token among all. */
export function probabilityOf(logits: Float32Array, token: number): number {
  let highest = -Infinity;
  for (const logit of logits) highest = Math.max(highest, logit);
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - highest);
  return Math.exp(logits[token]! - highest) / sum;
}

/** The most likely of a few tokens. @returns its key */
export function argmax<Key>(logits: Float32Array, tokens: ReadonlyMap<Key, number>): Key | undefined {
  let best: Key | undefined;
  let highest = -Infinity;
  for (const [key, token] of tokens) {
    if (logits[token]! > highest) {
      highest = logits[token]!;
      best = key;
    }
  }
  return best;
}

/** What counts as saying the same again. */
interface Repetition {
  /** So often. */
  times: number;
  /** In so many tokens at least. */
  tokens: number;
}

/** A decoding loop, not speech; "no, no, no" is none. */
const LOOP: Repetition = { times: 5, tokens: 16 };

/** What may become a loop. */
const ECHO: Repetition = { times: 2, tokens: 6 };

/** Whether the text ends with the same few tokens again and again. */
export function isLooping(tokens: readonly number[]): boolean {
  return endsWith(tokens, LOOP);
}

/** Whether the text ends with the same few tokens twice. */
export function isEchoing(tokens: readonly number[]): boolean {
  return endsWith(tokens, ECHO);
}

function endsWith(tokens: readonly number[], repetition: Repetition): boolean {
  for (let period = 1; period * repetition.times <= tokens.length; period++) {
    const length = Math.max(period * repetition.times, repetition.tokens);
    if (length > tokens.length) continue;
    const start = tokens.length - length;
    let same = true;
    for (let i = start; i + period < tokens.length && same; i++) same = tokens[i] === tokens[i + period];
    if (same) return true;
  }
  return false;
}

/**
 * The most likely token that may follow. A window begins with a time. Times come in pairs around each phrase (the last may
 * lack its second) and never decrease. All times together compete as one token.
 * @param written tokens of the window so far, times included
 */
export function chooseTimedToken(
  logits: Float32Array,
  written: readonly number[],
  { facts, times, sampling }: { facts: WhisperConfig; times: TimeTokens; sampling?: WindowSampling | undefined },
): TokenChoice {
  const isTime = (token: number | undefined): boolean => token !== undefined && token >= times.first;
  const [before, last] = [written.at(-2), written.at(-1)];
  const opens = isTime(last) && (written.length === 1 || isTime(before));
  const text = (by?: WindowSampling): TokenChoice => chooseToken(logits, facts.endToken + 1, facts.suppressed, by);
  if (opens) return text(sampling);
  const earliest = Math.max(times.first, written.findLast(isTime) ?? times.first);
  // A phrase takes time, but the next one may begin at the time at which the last one ended.
  const from = isTime(last) || written.length === 0 ? earliest : earliest + 1;
  const to = written.length === 0 ? Math.min(times.lastInitial, times.last) : times.last;
  const time = likeliestTime(logits, from, to);
  if (written.length === 0) return { token: time.token, logprob: 0 };
  if (isTime(last)) {
    return time.weight > logits[facts.endToken]!
      ? { token: time.token, logprob: 0 }
      : { token: facts.endToken, logprob: 0 };
  }
  return time.weight > logits[text().token]! ? { token: time.token, logprob: 0 } : text(sampling);
}

/** The most likely of some times, and the logit of all together; -Infinity for none. */
function likeliestTime(logits: Float32Array, from: number, to: number): { token: number; weight: number } {
  let token = from;
  for (let id = from; id <= to; id++) if (logits[id]! > logits[token]!) token = id;
  if (from > to) return { token: to, weight: -Infinity };
  let sum = 0;
  for (let id = from; id <= to; id++) sum += Math.exp(logits[id]! - logits[token]!);
  return { token, weight: logits[token]! + Math.log(sum) };
}
