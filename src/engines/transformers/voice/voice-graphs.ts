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

/** Hz that sound may have: far beyond what voices are made for. */
const RATES = { least: 1_000, most: 384_000 };

/** @throws InferenceError `model_not_supported` for a rate that no sound has */
export function checkedRate(rate: unknown): number {
  if (typeof rate === 'number' && rate >= RATES.least && rate <= RATES.most) return rate;
  throw cannotSpeak(
    `its config states ${JSON.stringify(rate)?.slice(0, 40)} for \`sampling_rate\`; it must be a number from ${RATES.least} to ${RATES.most}`,
  );
}
