/** One text to the page's own `/v1/audio/speech`. */
import { callForSound } from '../wire/call-inference.js';
import type { WireRequest } from '../wire/wire-log.js';

export interface Spoken {
  model: string;
  text: string;
  /** A voice of the model, or one of OpenAI's names. */
  voice: string;
  /** 0.25 to 4; 1 is the model's own pace. */
  speed: number;
}

const PATH = '/audio/speech';

/** @returns a WAV file, which every browser plays */
export function speakText(spoken: Spoken, signal?: AbortSignal): Promise<Blob> {
  return callForSound(PATH, bodyOf(spoken), signal);
}

/** What is sent for it. */
export const speechRequest = (spoken: Spoken): WireRequest => ({ path: PATH, sentAs: 'json', body: bodyOf(spoken) });

function bodyOf({ model, text, voice, speed }: Spoken): Record<string, unknown> {
  return { model, input: text, voice, speed, response_format: 'wav' };
}

/** A voice that every model knows: OpenAI's names stand for some voice of it. */
export const ANY_VOICE = 'alloy';
