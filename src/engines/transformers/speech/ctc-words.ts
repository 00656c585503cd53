/** From the most likely token of each frame to words (Connectionist Temporal Classification). @module */
import type { TranscriptSegment } from '../../../core/request/transcription-request.js';
import { rounded } from './align-words.js';

/** What the tokens of a model mean. */
export interface CtcVocabulary {
  /** Nothing is said, or the same sound goes on. */
  blank: number;
  /** Stands between words. Undefined: words begin with a space in their first token. */
  delimiter: number | undefined;
  /** Empty for tokens that are no text. */
  textOf(token: number): string;
}

interface Word {
  text: string;
  /** Seconds. */
  start: number;
  end: number;
  tokens: number[];
  /** Sum over the tokens. */
  logprob: number;
}

/** A pause of so many seconds ends a segment, and so does its length. */
const PAUSE_SECONDS = 0.6;
const MAX_SEGMENT_SECONDS = 12;

/** Takes frame after frame: a token that repeats itself is one, and blanks divide. */
export class CtcWords {
  readonly #vocabulary: CtcVocabulary;
  readonly #seconds: number;
  readonly #words: Word[] = [];
  #open: Word | undefined;
  #frame = 0;
  #last: number | undefined;
  #tokens = 0;
  /** Words that `take` has given. */
  #taken = 0;

  /** @param seconds from one frame to the next */
  constructor(vocabulary: CtcVocabulary, seconds: number) {
    this.#vocabulary = vocabulary;
    this.#seconds = seconds;
  }

  /** Tokens that were said. */
  get tokens(): number {
    return this.#tokens;
  }

  /** All words that have ended. */
  get words(): readonly Word[] {
    return this.#words;
  }

  /** @param logprob natural logarithm of the token's probability */
  push(token: number, logprob: number): void {
    const [from, to] = [this.#frame * this.#seconds, (this.#frame + 1) * this.#seconds];
    this.#frame += 1;
    const { blank, delimiter } = this.#vocabulary;
    const text = token === blank || token === delimiter ? '' : this.#vocabulary.textOf(token);
    // Special tokens do not even divide.
    if (text === '' && token !== blank && token !== delimiter) return;
    const goesOn = token === this.#last;
    this.#last = token;
    if (token === blank) return;
    if (token === delimiter) return this.end();
    if (goesOn && this.#open) {
      this.#open.end = to;
      return;
    }
    if (text.startsWith(' ')) this.end();
    this.#tokens += 1;
    if (text.trim() === '') return;
    const open = (this.#open ??= { text: '', start: from, end: to, tokens: [], logprob: 0 });
    open.text += text.trim();
    open.end = to;
    open.tokens.push(token);
    open.logprob += logprob;
  }

  /** Ends the word that is open. */
  end(): void {
    if (this.#open) this.#words.push(this.#open);
    this.#open = undefined;
  }

  /** The words that have ended since the last call, as they go on in the text. */
  take(): string {
    const fresh = this.#words.slice(this.#taken).map(({ text }) => text);
    const space = this.#taken > 0 && fresh.length > 0 ? ' ' : '';
    this.#taken = this.#words.length;
    return space + fresh.join(' ');
  }
}

/** Words that follow one another without a long pause. */
export function toSegments(words: readonly Word[]): TranscriptSegment[] {
  const groups: Word[][] = [];
  for (const word of words) {
    const group = groups.at(-1);
    const isNear =
      group && word.start - group.at(-1)!.end < PAUSE_SECONDS && word.end - group[0]!.start <= MAX_SEGMENT_SECONDS;
    if (isNear) group.push(word);
    else groups.push([word]);
  }
  return groups.map((group) => {
    const tokens = group.flatMap((word) => word.tokens);
    return {
      start: rounded(group[0]!.start),
      end: rounded(group.at(-1)!.end),
      text: group.map(({ text }) => text).join(' '),
      tokens,
      averageLogprob: group.reduce((sum, { logprob }) => sum + logprob, 0) / tokens.length,
      // These models do not say it.
      noSpeechProbability: 0,
    };
  });
}
