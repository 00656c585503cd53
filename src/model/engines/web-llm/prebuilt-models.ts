/** WebLLM's list of ready-made models, as an app shows it before anything is downloaded. @module */
import type { ModelRecord } from '@mlc-ai/web-llm';
import modelList from 'virtual:web-llm-models';
import { isChatModel, quantizationOf, requiredFeatures, takesImages } from './model-record.js';
import type { PrebuiltModel } from './prebuilt-model.js';

/** Bytes per parameter, scales included. */
const BYTES_PER_PARAMETER: readonly (readonly [RegExp, number])[] = [
  [/q0f32/, 4],
  [/q0f16/, 2],
  [/q3f/, 0.45],
  [/q4f32/, 0.63],
  [/q4f16/, 0.57],
];

/** The chat models of WebLLM's list, smallest first. */
export function listWebLlmModels(): PrebuiltModel[] {
  return modelList
    .filter(isChatModel)
    .map(describe)
    .toSorted((a, b) => (a.gpuMemoryMB ?? Infinity) - (b.gpuMemoryMB ?? Infinity));
}

function describe(record: ModelRecord): PrebuiltModel {
  return {
    id: record.model_id,
    repository: record.model,
    gpuMemoryMB: record.vram_required_MB,
    downloadMB: downloadSize(record.model_id),
    requiredFeatures: requiredFeatures(record),
    lowResource: record.low_resource_required ?? false,
    contextLength: record.overrides?.context_window_size,
    quantization: quantizationOf(record.model_id),
    images: takesImages(record),
  };
}

function downloadSize(id: string): number | undefined {
  const parameters = /[-_]v?(\d+(?:[._]\d+)?)([BM])(?=[-_])/i.exec(id);
  const bytes = BYTES_PER_PARAMETER.find(([pattern]) => pattern.test(id))?.[1];
  if (!parameters || bytes === undefined) return undefined;
  const millions = Number(parameters[1]!.replace('_', '.')) * (parameters[2]!.toUpperCase() === 'B' ? 1000 : 1);
  return Math.round(millions * bytes);
}
