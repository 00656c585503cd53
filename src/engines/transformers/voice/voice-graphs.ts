/** What each kind of synthesiser makes of its graphs. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { Delivery, VoiceEngine } from '../../../sound/voice/voice-engine.js';

/** Token ids in, samples out. */
export interface VoiceGraphs extends Pick<VoiceEngine, 'sampleRate' | 'voices'> {
  speak(ids: readonly number[], delivery: Delivery, signal: AbortSignal): Promise<Float32Array>;
}

/** @param reason ends the sentence */
export function cannotSpeak(reason: string): InferenceError {
  const message = `This model cannot speak here: ${reason}.`;
  return new InferenceError('model_not_supported', message, { param: 'model', permanent: true });
}
