/** What was written of one window, and when it was said. @module */
import type { TimedText, TranscriptSegment } from '../../../../core/request/transcription-request.js';
import { alignWords, type TokenText } from './align-words.js';
import type { WindowStep } from './decode-window.js';
import type { SpeechFacts } from './speech-facts.js';
import type { TranscriptText } from './transcript-text.js';
import { WindowSegments } from './window-segments.js';

export interface WindowContext {
  /** Seconds within the recording. */
  place: { start: number; end: number };
  language: string | undefined;
}

/** Grows by the window's tokens. */
export class WrittenWindow {
  readonly #facts: SpeechFacts;
  readonly #transcript: TranscriptText;
  readonly #context: WindowContext;
  readonly #steps: WindowStep[] = [];
  readonly #texts: TokenText[] = [];
  #segments: WindowSegments | undefined;

  constructor(facts: SpeechFacts, transcript: TranscriptText, context: WindowContext) {
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
    this.#segments ??= new WindowSegments({ ...this.#context.place, noSpeechProbability }, this.#facts.times);
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
