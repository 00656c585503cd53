/** What an engine must do so that `createVoiceModel` can speak with it. @module */
import type { Voice } from '../../core/request/speech-request.js';

/** How a sentence is spoken. */
export interface Delivery {
  /** One of the engine's. */
  voice: string;
  /** 0.25 to 4; 1 is the model's own pace. */
  speed: number;
  /** Of the noise; another for each sentence. */
  seed: number;
  /** The whole text is English, so that numbers in it can be written out in words. */
  english: boolean;
}

/** A synthesiser of one sentence at a time. */
export interface VoiceEngine {
  /** Hz of what it makes. */
  readonly sampleRate: number;
  /** At least one. */
  readonly voices: readonly Voice[];
  /** The model's tokens of a text that this voice speaks. */
  countTokens(text: string, voice: string): number | Promise<number>;
  /** The samples of a sentence, -1 to 1; the white space behind it belongs to it. Throws `cancelled` when the signal aborts. */
  speak(sentence: string, delivery: Delivery, signal: AbortSignal): Promise<Float32Array>;
}
