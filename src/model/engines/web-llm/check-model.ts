/** The refusals that come before a download: device first (no network at all), then storage (small files only). @module */
import type { ModelRecord } from '@mlc-ai/web-llm';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import { readWeightsManifest, type WeightsManifest } from './chat-config.js';
import { type DeviceFacts, missingForModel, readDeviceFacts } from './check-device.js';
import type { WebLlmEnvironment } from './web-llm-environment.js';
import type { ModelFiles } from '../../../store/model-files.js';
import { isChatModel } from './model-record.js';
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
    throw new InferenceError('model_not_supported', `\`${entry.id}\`: WebLLM serves chat models only.`, {
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
 * Checks that what is not kept yet fits the storage that is left.
 * @returns the weights' files; none, and 0 bytes, when they are unknown
 * @throws InferenceError `insufficient_resources` that names a smaller model
 */
export async function checkStorage(
  candidate: Candidate,
  facts: DeviceFacts,
  files: ModelFiles,
  environment: WebLlmEnvironment,
): Promise<WeightsManifest> {
  const manifest = await readWeightsManifest(files);
  if (!manifest) return { shards: [], bytes: 0 };
  const free = await environment.freeStorage();
  if (free === undefined || free >= manifest.bytes) return manifest;
  const missing = await missingBytes(manifest, files);
  if (free >= missing) return manifest;
  const needs = `${megabytes(missing)} MB of storage, and ${megabytes(free)} MB are free`;
  // Weights make up most of a model's memory, so memory shrinks about as storage does.
  throw refuse(candidate, facts, needs, { weightBytes: manifest.bytes, share: free / manifest.bytes });
}

/** How large the refused model is, and how large another may be. */
interface SizeLimit {
  /** Size of its weights: what it needs of the GPU at the least, where its record does not say. @default 0, unknown */
  weightBytes?: number;
  /** Part of its memory that a suggestion must stay under. @default 1 */
  share?: number;
}

/** `insufficient_resources` that names a model which would run, if it is known what the refused one needs. */
export function refuse(
  candidate: Candidate,
  facts: DeviceFacts,
  needs: string,
  { weightBytes = 0, share = 1 }: SizeLimit = {},
): InferenceError {
  const memory = candidate.record.vram_required_MB ?? weightBytes / MEGABYTE;
  return refusal(candidate.entry.id, needs, smallerModel(candidate.prebuilt, facts, memory * share));
}

/** A download that was cut off goes on where it stopped, so shards that are kept already take no more storage. */
async function missingBytes({ shards }: WeightsManifest, files: ModelFiles): Promise<number> {
  let sum = 0;
  for (const { file, bytes } of shards) if (!(await files.isKept(file))) sum += bytes;
  return sum;
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / MEGABYTE);
}
