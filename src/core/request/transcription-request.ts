/** The canonical transcription request and its events. @module */
import type { TracedRequest } from './traced-request.js';

export interface TranscriptionRequest extends TracedRequest {
  model: string;
  /** `transcribe`: in the spoken language; `translate`: into English. */
  task: 'transcribe' | 'translate';
  /** The file as uploaded. */
  audio: { bytes: Uint8Array; mediaType?: string; fileName?: string };
  /** ISO-639-1 code of the speech; absent: detected. */
  language?: string;
  /** Previous text, to steer vocabulary and style. */
  prompt?: string;
  /** 0 to 1: how freely tokens are chosen. Where the text repeats itself or the model is unsure, higher ones are tried. @default 0 */
  temperature?: number;
  /** Times of segments, or of words as well; absent: none, which is faster. */
  times?: 'segments' | 'words';
}

/** Something that was said, and when: seconds from the beginning of the recording. */
export interface TimedText {
  /** Seconds. */
  start: number;
  /** Seconds. */
  end: number;
  /** What was said. */
  text: string;
}

/** A phrase as the model cut it. */
export interface TranscriptSegment extends TimedText {
  /** Ids in the model's vocabulary, times left out. */
  tokens: number[];
  /** With which it was written; absent: 0. */
  temperature?: number;
  /** Mean natural logarithm of the tokens' probabilities. */
  averageLogprob: number;
  /** How probably no one speaks in the window of sound that it is from. */
  noSpeechProbability: number;
}

/** Text arrives while decoding; `finish` comes once, last, with the whole text. */
export type TranscriptEvent =
  | { type: 'delta'; text: string }
  | {
      type: 'finish';
      text: string;
      /** ISO-639-1, given or detected. */
      language: string | undefined;
      /** Length of the audio in seconds. */
      durationSeconds: number;
      /** In order, without overlap; absent unless asked for, and where the engine has no times. */
      segments?: TranscriptSegment[];
      /** The same for words. */
      words?: TimedText[];
      promptTokens: number;
      completionTokens: number;
    };
