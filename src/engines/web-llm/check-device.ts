/** Checks before any download whether this device can run a WebLLM model. @module */
import { megabytes } from '../../core/platform/megabytes.js';
import type { ModelRecord } from '@mlc-ai/web-llm';
import { InferenceError } from '../../core/errors/inference-error.js';
import { findAdapter } from '../common/find-adapter.js';
import type { WebLlmEnvironment } from './web-llm-environment.js';
import { requiredFeatures } from './model-record.js';

/** Features and limits of the GPU. Plain data. */
export interface DeviceFacts {
  features: ReadonlySet<string>;
  maxBufferSize: number;
  maxStorageBufferBindingSize: number;
  maxComputeWorkgroupStorageSize: number;
  maxComputeInvocationsPerWorkgroup: number;
  maxStorageBuffersPerShaderStage: number;
  /** See `WebLlmEnvironment`. */
  deviceMemory: number;
}

const MEGABYTE = 1024 * 1024;

/** Limits that WebLLM's runtime requests of every device. With less it does not start. */
const RUNTIME_NEEDS = {
  maxBufferSize: 256 * MEGABYTE,
  maxStorageBufferBindingSize: 128 * MEGABYTE,
  maxComputeWorkgroupStorageSize: 32 * 1024,
  maxComputeInvocationsPerWorkgroup: 256,
  maxStorageBuffersPerShaderStage: 10,
} as const satisfies Partial<Record<keyof DeviceFacts, number>>;

/** WebLLM takes a device below this limit for a phone or an old chip, which runs only models marked `low_resource_required`. */
const LARGE_BINDING = 1024 * MEGABYTE;

/** Gigabytes. Browsers report no more than this, so only a smaller number is a limit. */
const MAX_REPORTED_MEMORY = 8;

/** @throws InferenceError `insufficient_resources` without WebGPU or without an adapter */
export async function readDeviceFacts(environment: WebLlmEnvironment): Promise<DeviceFacts> {
  const adapter = await findAdapter(environment.gpu);
  if (!adapter) {
    const lacks = environment.gpu ? 'This browser finds no GPU for WebGPU.' : 'This browser has no WebGPU.';
    throw new InferenceError(
      'insufficient_resources',
      `${lacks} WebLLM models cannot run here; use a transformers.js model.`,
      { param: 'model' },
    );
  }
  const { limits } = adapter;
  return {
    features: new Set(adapter.features),
    maxBufferSize: limits.maxBufferSize,
    maxStorageBufferBindingSize: limits.maxStorageBufferBindingSize,
    maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
    maxComputeInvocationsPerWorkgroup: limits.maxComputeInvocationsPerWorkgroup,
    maxStorageBuffersPerShaderStage: limits.maxStorageBuffersPerShaderStage,
    deviceMemory: environment.deviceMemory,
  };
}

/**
 * What the device lacks for a model, as the end of a sentence that begins with "it needs".
 * WebGPU does not tell the size of video memory; buffer limits and main memory are the best known bounds.
 * @param quantization from the model's config, once that is read
 * @returns undefined when nothing is known to be missing
 */
export function missingForModel(record: ModelRecord, facts: DeviceFacts, quantization?: string): string | undefined {
  return missingForRuntime(facts) ?? missingFeature(record, facts, quantization) ?? missingMemory(record, facts);
}

function missingForRuntime(facts: DeviceFacts): string | undefined {
  for (const [limit, need] of Object.entries(RUNTIME_NEEDS)) {
    const offered = facts[limit as keyof typeof RUNTIME_NEEDS];
    if (offered < need) return `a GPU whose \`${limit}\` is at least ${need}, and this one has ${offered}`;
  }
  return undefined;
}

function missingFeature(record: ModelRecord, facts: DeviceFacts, quantization?: string): string | undefined {
  const missing = requiredFeatures(record, quantization).find((feature) => !facts.features.has(feature));
  return missing === undefined ? undefined : `the WebGPU feature \`${missing}\`, which this GPU lacks`;
}

function missingMemory(record: ModelRecord, facts: DeviceFacts): string | undefined {
  const { buffer_size_required_bytes: buffer = 0, vram_required_MB: memory = 0 } = record;
  if (buffer > facts.maxStorageBufferBindingSize) {
    return `GPU buffers of ${megabytes(buffer)} MB, and this GPU supports ${megabytes(facts.maxStorageBufferBindingSize)} MB`;
  }
  const { deviceMemory } = facts;
  if (deviceMemory < MAX_REPORTED_MEMORY && memory > deviceMemory * 1024) {
    return `${Math.ceil(memory)} MB of GPU memory, and this device has ${deviceMemory} GB in all`;
  }
  if (record.low_resource_required === false && facts.maxStorageBufferBindingSize < LARGE_BINDING) {
    return `${Math.ceil(memory)} MB of GPU memory, and this GPU is limited to small models`;
  }
  return undefined;
}
