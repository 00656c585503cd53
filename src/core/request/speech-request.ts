/** The canonical request for spoken text, its events, and the voices that it can name. @module */
import type { TracedRequest } from './traced-request.js';

/** What the sound can be encoded as. */
export const SPEECH_FORMATS = ['mp3', 'wav', 'pcm', 'opus', 'aac', 'flac'] as const;
export type SpeechFormat = (typeof SPEECH_FORMATS)[number];

/** Samples per second of every answer; one channel. */
export const SPEECH_RATE = 24_000;

export interface SpeechRequest extends TracedRequest {
  model: string;
  /** 1 to 4,096 code points, as they were sent. */
  input: string;
  /** A voice of the model, or one of OpenAI's names. */
  voice: string;
  format: SpeechFormat;
  /** 0.25 to 4; 1 is the model's own pace. */
  speed: number;
  /** Of the noise that some models begin with. */
  seed: number;
  /** How to speak; models that cannot follow it ignore it. */
  instructions?: string;
}

/** One `audio` for each sentence, whose bytes may be none yet, then `finish` with the rest of the file. */
export type SpeechEvent =
  | { type: 'audio'; bytes: Uint8Array<ArrayBuffer> }
  | {
      type: 'finish';
      bytes: Uint8Array<ArrayBuffer>;
      /** In the model's tokens. */
      inputTokens: number;
      /** One for each 40 ms of sound, the last for what is left; 0 where a remote service does not say it. */
      outputTokens: number;
    };

/** Who can speak. Plain data, as `GET /audio/voices` shows it. */
export interface Voice {
  id: string;
  name: string;
  /** BCP 47; null where the model does not say. */
  language: string | null;
}

/** The voices that OpenAI's clients name. */
export const OPENAI_VOICES = 'alloy ash ballad coral echo fable nova onyx sage shimmer verse marin cedar'.split(' ');
