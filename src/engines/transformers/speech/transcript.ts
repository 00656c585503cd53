/** The transcript: from tokens to text, to segments with times, and to words with times. @module */
import type { TimedText, TranscriptSegment } from '../../../core/request/transcription-request.js';
import { type WhisperConfig, TIME_STEP, type TimeTokens } from './whisper-config.js';
import { alignWords, rounded, type TokenText } from './align-words.js';
import type { TextDecoder, WindowStep } from './decode-window.js';

/** Maximum number of tokens that wait for the rest of a character: four bytes of one token each, and some reserve. */
const MAX_WAITING = 8;

/** Turns tokens into text piece by piece: whole characters, and no white space at either end of the transcript. */
export class TranscriptText {
  readonly #tokenizer: TextDecoder;
  #waiting: number[] = [];
  #space = '';
  /** The next text begins a window, and white space stands before it already. */
  #isApart = false;
  #text = '';

  constructor(tokenizer: TextDecoder) {
    this.#tokenizer = tokenizer;
  }

  /** All text so far. */
  get text(): string {
    return this.#text;
  }

  /** Appends a token. @returns the text that is complete now; may be empty */
  push(token: number): string {
    this.#waiting.push(token);
    const options = { skip_special_tokens: true, clean_up_tokenization_spaces: false };
    const piece = this.#tokenizer.decode(this.#waiting, options);
    if (piece.endsWith('\uFFFD') && this.#waiting.length < MAX_WAITING) return '';
    this.#waiting = [];
    if (!this.#isApart) return this.#release(piece);
    this.#isApart = piece.trim() === '';
    return this.#isApart ? '' : this.#release(piece.trimStart());
  }

  /**
   * Ends a window. An incomplete character is dropped.
   * @param separator white space before the next window's text, for models whose first word brings none
   */
  endWindow(separator = ''): void {
    this.#waiting = [];
    if (separator === '' || this.#text === '') return;
    this.#space = separator;
    this.#isApart = true;
  }

  /** White space waits for the text after it, so that the transcript does not end with it. */
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

/** Place of a window in the recording, and its no-speech probability. */
interface WindowSpan {
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
  temperature: number;
}

/** Builds segments from the time tokens around phrases. A window without times is one segment. */
class SegmentBuilder {
  readonly #span: WindowSpan;
  readonly #times: TimeTokens | undefined;
  readonly #segments: TranscriptSegment[] = [];
  #open: OpenSegment | undefined;
  /** Start of the next segment, unless a time token changes it. */
  #at: number;

  constructor(span: WindowSpan, times: TimeTokens | undefined) {
    this.#span = span;
    this.#times = times;
    this.#at = span.start;
  }

  /** Adds a time token: the end of an open segment, else the start of the next. */
  time(token: number): void {
    const seconds = this.#span.start + (token - (this.#times?.first ?? token)) * TIME_STEP;
    const time = Math.min(this.#span.end, Math.max(this.#at, seconds));
    this.#close(time);
    this.#at = time;
  }

  /** Adds a text token. @param piece text that it completed; may be empty */
  text({ token, logprob, temperature }: WindowStep, piece: string): void {
    const open = (this.#open ??= { start: this.#at, text: '', tokens: [], logprob: 0, temperature });
    open.temperature = Math.max(open.temperature, temperature);
    open.text += piece;
    open.tokens.push(token);
    open.logprob += logprob;
  }

  /** Ends the window. @returns all segments */
  end(): TranscriptSegment[] {
    this.#close(this.#span.end);
    return this.#segments;
  }

  #close(end: number): void {
    const open = this.#open;
    this.#open = undefined;
    if (!open || open.text.trim() === '') return;
    const { start, text, tokens, logprob, temperature } = open;
    this.#segments.push({
      start: rounded(start),
      end: rounded(end),
      text: text.trim(),
      tokens,
      ...(temperature > 0 && { temperature }),
      averageLogprob: logprob / tokens.length,
      noSpeechProbability: this.#span.noSpeechProbability,
    });
  }
}

interface WindowContext {
  /** Seconds within the recording. */
  span: { start: number; end: number };
  language: string | undefined;
}

/** Text, segments and words of one window. */
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

  /** Whether the window has no text. */
  get isEmpty(): boolean {
    return this.#texts.every((text) => text === undefined);
  }

  /** Adds a token. @returns the text that is complete now; may be empty */
  take(step: WindowStep): string {
    const { token, noSpeechProbability } = step;
    this.#segments ??= new SegmentBuilder({ ...this.#context.span, noSpeechProbability }, this.#facts.times);
    this.#steps.push(step);
    const isText = token < this.#facts.endToken;
    const text = isText ? this.#transcript.push(token) : undefined;
    this.#texts.push(text);
    if (text !== undefined) this.#segments.text(step, text);
    else if (token !== this.#facts.endToken) this.#segments.time(token);
    return text ?? '';
  }

  segments(): TranscriptSegment[] {
    return this.#segments?.end() ?? [];
  }

  words(): TimedText[] {
    const { span, language } = this.#context;
    const rows = this.#steps.map(({ attention }) => attention);
    return alignWords(this.#texts, rows, { window: span, language, medianWidth: this.#facts.medianFilterWidth });
  }
}
