/** The refusals that come before a download: device first (no network at all), then storage (small files only). @module */
import type { ModelRecord } from '@mlc-ai/web-llm';
import { InferenceError } from '../../errors/inference-error.js';
import type { ModelEntry } from '../../models/model-entry.js';
import { readWeightsManifest } from './chat-config.js';
import { type DeviceFacts, missingForModel, readDeviceFacts } from './check-device.js';
import type { WebLlmEnvironment } from './environment.js';
import type { ModelFiles } from './model-files.js';
import { isChatModel } from './prebuilt-models.js';
import { refusal, smallerModel } from './smaller-model.js';

const MEGABYTE = 1024 * 1024;

/** A model that is about to be loaded. */
export interface Candidate {
  entry: ModelEntry;
  record: ModelRecord;
  /** WebLLM's list, for suggestions. */
  prebuilt: readonly ModelRecord[];
}

/**
 * Checks task, device, features, limits and memory.
 * @throws InferenceError `model_not_supported`, `invalid_request`, or `insufficient_resources` that names a smaller model
 */
export async function checkDevice(candidate: Candidate, environment: WebLlmEnvironment): Promise<DeviceFacts> {
  const { entry, record } = candidate;
  if (entry.task !== 'chat' || !isChatModel(record)) {
    throw new InferenceError('model_not_supported', `\`${entry.id}\`: WebLLM serves text models only.`, {
      param: 'model',
    });
  }
  if (entry.device === 'wasm') {
    throw new InferenceError('invalid_request', `\`${entry.id}\`: WebLLM models run on WebGPU only.`, {
      param: 'models',
    });
  }
  const facts = await readDeviceFacts(environment);
  const missing = missingForModel(record, facts);
  if (missing !== undefined) throw refuse(candidate, facts, missing);
  return facts;
}

/**
 * Checks what only the config tells of an entry's own model: the precision of its weights.
 * @throws InferenceError `insufficient_resources`
 */
export function checkPrecision(candidate: Candidate, facts: DeviceFacts, quantization: string | undefined): void {
  const missing = missingForModel(candidate.record, facts, quantization);
  if (missing !== undefined) throw refuse(candidate, facts, missing);
}

/**
 * Checks that what is not cached yet fits the storage that is left.
 * @returns bytes of the weights; 0 when unknown
 * @throws InferenceError `insufficient_resources` that names a smaller model
 */
export async function checkStorage(
  candidate: Candidate,
  facts: DeviceFacts,
  files: ModelFiles,
  environment: WebLlmEnvironment,
): Promise<number> {
  const manifest = await readWeightsManifest(files);
  if (!manifest) return 0;
  const free = await environment.freeStorage();
  if (free === undefined || free >= manifest.bytes || (await files.areCached(manifest.files))) return manifest.bytes;
  const needs = `${megabytes(manifest.bytes)} MB of storage, and ${megabytes(free)} MB are free`;
  // Weights make up most of a model's memory, so memory shrinks about as storage does.
  throw refuse(candidate, facts, needs, (memoryOf(candidate.record) * free) / manifest.bytes);
}

/**
 * `insufficient_resources` that names a model which would run.
 * @param below megabytes of GPU memory that the suggestion must stay under; absent: what the refused model needs
 */
export function refuse(
  candidate: Candidate,
  facts: DeviceFacts,
  needs: string,
  below = memoryOf(candidate.record),
): InferenceError {
  return refusal(candidate.entry.id, needs, smallerModel(candidate.prebuilt, facts, below));
}

function memoryOf(record: ModelRecord): number {
  return record.vram_required_MB ?? Infinity;
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / MEGABYTE);
}
