/**
 * Checks a model before its download: first the device (without any network), then storage (small files only).
 * @module
 */
import { megabytes } from '../../core/platform/megabytes.js';
import type { ModelRecord } from '@mlc-ai/web-llm';
import { InferenceError } from '../../core/errors/inference-error.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import { readWeightsManifest, type WeightsManifest } from './model-folder.js';
import { type DeviceFacts, missingForModel, readDeviceFacts } from './check-device.js';
import type { WebLlmEnvironment } from './web-llm-environment.js';
import type { ModelFiles } from '../../store/model-files.js';
import { isChatModel, takesImages } from './model-record.js';

const MEGABYTE = 1024 * 1024;

/** A model that is about to be loaded. */
export interface Candidate {
  entry: ModelEntry;
  record: ModelRecord;
  /** WebLLM's list of models, for suggestions. */
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
 * Checks the precision of the weights, which for an entry with a model library only the config tells.
 * @throws InferenceError `insufficient_resources`
 */
export function checkPrecision(candidate: Candidate, facts: DeviceFacts, quantization: string | undefined): void {
  const missing = missingForModel(candidate.record, facts, quantization);
  if (missing !== undefined) throw refuse(candidate, facts, missing);
}

/**
 * Checks that the files that are not stored yet fit the free storage.
 * @returns the files of the weights; none, and 0 bytes, when they are unknown
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
  // Weights are most of a model's memory, so memory is taken as proportional to storage.
  throw refuse(candidate, facts, needs, { weightBytes: manifest.bytes, share: free / manifest.bytes });
}

/** Size of the refused model, and a limit for the suggested one. */
interface SizeLimit {
  /** Its weights: the least GPU memory that it needs, for records that do not say. @default 0, unknown */
  weightBytes?: number;
  /** Fraction of its memory that the suggested model must stay under. @default 1 */
  share?: number;
}

/** `insufficient_resources`; names a smaller model if the memory of the refused one is known. */
export function refuse(
  candidate: Candidate,
  facts: DeviceFacts,
  needs: string,
  { weightBytes = 0, share = 1 }: SizeLimit = {},
): InferenceError {
  const memory = candidate.record.vram_required_MB ?? weightBytes / MEGABYTE;
  return refusal(candidate.entry.id, needs, smallerModelFor(candidate.prebuilt, facts, memory * share));
}

/** Shards of an earlier, interrupted download are kept and take no more storage. */
async function missingBytes({ shards }: WeightsManifest, files: ModelFiles): Promise<number> {
  let sum = 0;
  for (const { file, bytes } of shards) if (!(await files.isStored(file))) sum += bytes;
  return sum;
}

/**
 * The largest text model of WebLLM's list that this device can run and that needs less memory than the refused one.
 * @param below megabytes of GPU memory that it must stay under
 */
function smallerModelFor(prebuilt: readonly ModelRecord[], facts: DeviceFacts, below: number): ModelRecord | undefined {
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
function refusal(id: string, needs: string, smaller: ModelRecord | undefined): InferenceError {
  const instead = smaller
    ? `Use \`${smaller.model_id}\` (${Math.ceil(smaller.vram_required_MB ?? 0)} MB) instead.`
    : 'Use a transformers.js model instead.';
  return new InferenceError('insufficient_resources', `\`${id}\` cannot run here: it needs ${needs}. ${instead}`, {
    param: 'model',
  });
}
