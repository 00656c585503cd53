/** One text to the page's own `/v1/audio/speech`. */
import { callForSound } from '../wire/call-inference.js';

export interface Spoken {
  model: string;
  text: string;
  /** A voice of the model, or one of OpenAI's names. */
  voice: string;
  /** 0.25 to 4; 1 is the model's own pace. */
  speed: number;
}

/** @returns a WAV file, which every browser plays */
export function speakText({ model, text, voice, speed }: Spoken, signal?: AbortSignal): Promise<Blob> {
  return callForSound('/audio/speech', { model, input: text, voice, speed, response_format: 'wav' }, signal);
}

/** A voice that every model knows: OpenAI's names stand for some voice of it. */
export const ANY_VOICE = 'alloy';
