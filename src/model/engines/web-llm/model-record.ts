/** What WebLLM's record of a model tells, and what its name does. @module */
import type { ModelRecord } from '@mlc-ai/web-llm';

/** The values of WebLLM's `ModelType`; absent means a language model. */
const LANGUAGE_MODEL = 0;
const VISION_LANGUAGE_MODEL = 2;

/** A model that talks, whether it sees or not: no embedding model. */
export function isChatModel(record: ModelRecord): boolean {
  return typeOf(record) === LANGUAGE_MODEL || takesImages(record);
}

/** What the list calls a vision model. */
export function takesImages(record: ModelRecord): boolean {
  return typeOf(record) === VISION_LANGUAGE_MODEL;
}

function typeOf({ model_type: type }: ModelRecord): number {
  return type ?? LANGUAGE_MODEL;
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
