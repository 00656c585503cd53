/** What WebLLM's record of a model tells, and what its name does. @module */
import type { ModelRecord } from '@mlc-ai/web-llm';

/** The value of WebLLM's `ModelType.LLM`; absent means the same. */
const LANGUAGE_MODEL = 0;

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
