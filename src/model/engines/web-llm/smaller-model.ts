/** Refusals that say what to use instead. @module */
import type { ModelRecord } from '@mlc-ai/web-llm';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { type DeviceFacts, missingForModel } from './check-device.js';
import { isChatModel, takesImages } from './model-record.js';

/**
 * The largest text model of WebLLM's list that this device can run and that needs less memory than the refused one.
 * @param below megabytes of GPU memory that it must stay under
 */
export function smallerModel(
  prebuilt: readonly ModelRecord[],
  facts: DeviceFacts,
  below: number,
): ModelRecord | undefined {
  return prebuilt
    .filter((record) => isChatModel(record) && !takesImages(record) && (record.vram_required_MB ?? Infinity) < below)
    .filter((record) => missingForModel(record, facts) === undefined)
    .toSorted((a, b) => (b.vram_required_MB ?? 0) - (a.vram_required_MB ?? 0))[0];
}

/**
 * `insufficient_resources` with a way out.
 * @param needs what is missing, as the end of "it needs …"
 * @param smaller the suggestion, if there is one
 */
export function refusal(id: string, needs: string, smaller: ModelRecord | undefined): InferenceError {
  const instead = smaller
    ? `Use \`${smaller.model_id}\` (${Math.ceil(smaller.vram_required_MB ?? 0)} MB) instead.`
    : 'Use a transformers.js model instead.';
  return new InferenceError('insufficient_resources', `\`${id}\` cannot run here: it needs ${needs}. ${instead}`, {
    param: 'model',
  });
}
