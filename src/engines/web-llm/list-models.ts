/**
 * WebLLM's list of ready-made models, as an app shows it before any download. Public: its types name nothing of WebLLM.
 * @module
 */
import modelList from 'virtual:web-llm-models';
import type { ModelRecord } from '@mlc-ai/web-llm';
import { isChatModel, quantizationOf, requiredFeatures, takesImages } from './model-record.js';

/** A ready-made model. Plain data. */
export interface WebLlmModelInfo {
  /** A value for `ModelEntry.id` or `source`. */
  id: string;
  /** Hub repository of the weights. */
  repository: string;
  /** Megabytes of GPU memory with the default context. */
  gpuMemoryMB: number | undefined;
  /** Megabytes to download, estimated from parameter count and quantization in the name; undefined when it names none. */
  downloadMB: number | undefined;
  /** WebGPU features that it needs, e.g. `shader-f16`. */
  requiredFeatures: string[];
  /** It also runs on phones and old chips. */
  lowResource: boolean;
  /** Tokens. */
  contextLength: number | undefined;
  /** `q4f16_1` and the like. */
  quantization: string | undefined;
  /** It takes images as input. */
  images: boolean;
}

/** Bytes per parameter, scales included. */
const BYTES_PER_PARAMETER: readonly (readonly [RegExp, number])[] = [
  [/q0f32/, 4],
  [/q0f16/, 2],
  [/q3f/, 0.45],
  [/q4f32/, 0.63],
  [/q4f16/, 0.57],
];

/** The chat models of WebLLM's list, smallest first. */
export function listWebLlmModels(): WebLlmModelInfo[] {
  return modelList
    .filter(isChatModel)
    .map(describe)
    .toSorted((a, b) => (a.gpuMemoryMB ?? Infinity) - (b.gpuMemoryMB ?? Infinity));
}

function describe(record: ModelRecord): WebLlmModelInfo {
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
