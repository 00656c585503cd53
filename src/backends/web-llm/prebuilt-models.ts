/** WebLLM's list of ready-made models, as an app shows it before anything is downloaded. @module */
import type { ModelRecord } from '@mlc-ai/web-llm';
import type { PrebuiltModel } from './prebuilt-model.js';
import { importWebLlm } from './web-llm-module.js';

/** The value of WebLLM's `ModelType.LLM`; absent means the same. */
const LANGUAGE_MODEL = 0;

/** Bytes per parameter, scales included. */
const BYTES_PER_PARAMETER: readonly (readonly [RegExp, number])[] = [
  [/q0f32/, 4],
  [/q0f16/, 2],
  [/q3f/, 0.45],
  [/q4f32/, 0.63],
  [/q4f16/, 0.57],
];

/** The chat models of WebLLM's list, smallest first. Fetches the WebLLM package (not a model) when first called. */
export async function listWebLlmModels(): Promise<PrebuiltModel[]> {
  const { prebuiltAppConfig } = await importWebLlm();
  return prebuiltAppConfig.model_list
    .filter(isChatModel)
    .map(describe)
    .toSorted((a, b) => (a.gpuMemoryMB ?? Infinity) - (b.gpuMemoryMB ?? Infinity));
}

/** A text model: no embedding model and no vision model (their images are not offered here). */
export function isChatModel(record: ModelRecord): boolean {
  return (record.model_type ?? LANGUAGE_MODEL) === LANGUAGE_MODEL;
}

/** Weights' precision, from the naming rule of the list. */
export function quantizationOf(name: string): string | undefined {
  return /q\d(?:bf|f|fp)\d+(?:_\d)?/.exec(name)?.[0];
}

/**
 * WebGPU features without which a model does not run. WebLLM's list forgets half precision for most of its models, and
 * its own check comes when all weights are there.
 * @param quantization of the model's config; absent: what its name says
 */
export function requiredFeatures(record: ModelRecord, quantization = quantizationOf(record.model_id)): string[] {
  const halfPrecision = /^q\dfp?16/.test(quantization ?? '');
  return [...new Set([...(record.required_features ?? []), ...(halfPrecision ? ['shader-f16'] : [])])];
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
  };
}

function downloadSize(id: string): number | undefined {
  const parameters = /[-_]v?(\d+(?:[._]\d+)?)([BM])(?=[-_])/i.exec(id);
  const bytes = BYTES_PER_PARAMETER.find(([pattern]) => pattern.test(id))?.[1];
  if (!parameters || bytes === undefined) return undefined;
  const millions = Number(parameters[1]!.replace('_', '.')) * (parameters[2]!.toUpperCase() === 'B' ? 1000 : 1);
  return Math.round(millions * bytes);
}
