/** Tokens to text that is certain. @module */
import type { TimedText, TranscriptSegment } from '../../../../core/request/transcription-request.js';
import { type WhisperConfig, TIME_STEP, type TimeTokens } from './speech-facts.js';
import { alignWords, rounded, type TokenText } from './align-words.js';
import type { WindowStep } from './decode-window.js';

/** What this needs of a tokenizer. */
export interface TextDecoder {
  decode(tokens: number[], options: { skip_special_tokens: boolean; clean_up_tokenization_spaces: boolean }): string;
}

/** Tokens that may wait for the rest of a character: four bytes, one token each, and some reserve. */
const MOST_WAITING = 8;

/** Grows by tokens; gives out pieces that are whole characters, without space at either end of the whole. */
export class TranscriptText {
  readonly #tokenizer: TextDecoder;
  #waiting: number[] = [];
  #space = '';
  #text = '';

  constructor(tokenizer: TextDecoder) {
    this.#tokenizer = tokenizer;
  }

  /** Everything given out so far. */
  get text(): string {
    return this.#text;
  }

  /** Appends a token and gives out what is certain now, perhaps nothing. */
  push(token: number): string {
    this.#waiting.push(token);
    const options = { skip_special_tokens: true, clean_up_tokenization_spaces: false };
    const piece = this.#tokenizer.decode(this.#waiting, options);
    if (piece.endsWith('\uFFFD') && this.#waiting.length < MOST_WAITING) return '';
    this.#waiting = [];
    return this.#release(piece);
  }

  /** Ends a window: a character that was cut in its middle is dropped. */
  endWindow(): void {
    this.#waiting = [];
  }

  /** Space is given out together with the text after it, so that the end has none. */
  #release(piece: string): string {
    const body = piece.trimEnd();
    const known = this.#text === '' && this.#space.trim() === '' ? body.trimStart() : this.#space + body;
    if (known.trim() === '') {
      this.#space += piece;
      return '';
    }
    this.#space = piece.slice(body.length);
    this.#text += known;
    return known;
  }
}

/** Where a window lies in the recording, and how probably it is silent. */
interface WindowPlace {
  /** Seconds. */
  start: number;
  end: number;
  noSpeechProbability: number;
}

interface OpenSegment {
  start: number;
  text: string;
  tokens: number[];
  logprob: number;
}

/** Grows by tokens. A window without times is one segment. */
class SegmentBuilder {
  readonly #place: WindowPlace;
  readonly #times: TimeTokens | undefined;
  readonly #segments: TranscriptSegment[] = [];
  #open: OpenSegment | undefined;
  /** Where the next segment begins, unless the model says otherwise. */
  #at: number;

  constructor(place: WindowPlace, times: TimeTokens | undefined) {
    this.#place = place;
    this.#times = times;
    this.#at = place.start;
  }

  /** A time: the end of an open phrase, else where the next begins. */
  time(token: number): void {
    const seconds = this.#place.start + (token - (this.#times?.first ?? token)) * TIME_STEP;
    const time = Math.min(this.#place.end, Math.max(this.#at, seconds));
    this.#close(time);
    this.#at = time;
  }

  /** @param piece text that became certain with the token; may be empty */
  text(token: number, logprob: number, piece: string): void {
    const open = (this.#open ??= { start: this.#at, text: '', tokens: [], logprob: 0 });
    open.text += piece;
    open.tokens.push(token);
    open.logprob += logprob;
  }

  /** All segments; an open one ends with the window. */
  end(): TranscriptSegment[] {
    this.#close(this.#place.end);
    return this.#segments;
  }

  #close(end: number): void {
    const open = this.#open;
    this.#open = undefined;
    if (!open || open.text.trim() === '') return;
    const { start, text, tokens, logprob } = open;
    this.#segments.push({
      start: rounded(start),
      end: rounded(end),
      text: text.trim(),
      tokens,
      averageLogprob: logprob / tokens.length,
      noSpeechProbability: this.#place.noSpeechProbability,
    });
  }
}

interface WindowContext {
  /** Seconds within the recording. */
  place: { start: number; end: number };
  language: string | undefined;
}

/** Grows by the window's tokens. */
export class WindowTranscript {
  readonly #facts: WhisperConfig;
  readonly #transcript: TranscriptText;
  readonly #context: WindowContext;
  readonly #steps: WindowStep[] = [];
  readonly #texts: TokenText[] = [];
  #segments: SegmentBuilder | undefined;

  constructor(facts: WhisperConfig, transcript: TranscriptText, context: WindowContext) {
    this.#facts = facts;
    this.#transcript = transcript;
    this.#context = context;
  }

  /** No text came. */
  get isEmpty(): boolean {
    return this.#texts.every((text) => text === undefined);
  }

  /** The text that is certain after the token; may be empty. */
  take(step: WindowStep): string {
    const { token, logprob, noSpeechProbability } = step;
    this.#segments ??= new SegmentBuilder({ ...this.#context.place, noSpeechProbability }, this.#facts.times);
    this.#steps.push(step);
    const isText = token < this.#facts.endToken;
    const text = isText ? this.#transcript.push(token) : undefined;
    this.#texts.push(text);
    if (text !== undefined) this.#segments.text(token, logprob, text);
    else if (token !== this.#facts.endToken) this.#segments.time(token);
    return text ?? '';
  }

  segments(): TranscriptSegment[] {
    return this.#segments?.end() ?? [];
  }

  words(): TimedText[] {
    const { place, language } = this.#context;
    const rows = this.#steps.map(({ attention }) => attention);
    return alignWords(this.#texts, rows, { window: place, language, medianWidth: this.#facts.medianFilterWidth });
  }
}
