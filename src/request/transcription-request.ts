/** Canonical transcription and translation request, and its events. @module */

export interface TranscriptionRequest {
  model: string;
  /** `transcribe`: in the spoken language; `translate`: into English. */
  task: 'transcribe' | 'translate';
  /** The file as uploaded. */
  audio: { bytes: Uint8Array; mediaType?: string; fileName?: string };
  /** ISO-639-1 code of the speech; absent: detected. */
  language?: string;
  /** Previous text, to steer vocabulary and style. */
  prompt?: string;
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
      promptTokens: number;
      completionTokens: number;
    };
