/** Whether a model runs on a GPU: by its head before its weights are fetched, by a trial before they are loaded. @module */
import { fetchPart } from '../../core/errors/fetch-part.js';
import { isInferenceError } from '../../core/errors/inference-error.js';
import type { LoadOptions } from '../../core/models/backend.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { PlannedModel } from './assemble-text-model.js';
import type { GpuOffer } from './gpu-candidate.js';
import { checkRefusal, type GpuRefusal, OTHER_BITS, reasonOf, SIMULATED } from './gpu-refusal.js';
import type { OpenForward } from './opened-forward.js';
import type { GpuModel } from './webgpu/gguf-webgpu.js';
import type { TrialSource } from './webgpu/try-remembered.js';

/** A GPU that has room for a model, or why there is none. */
export interface ChosenGpu {
  model?: GpuModel;
  isSimulated?: boolean;
  refusal?: GpuRefusal | undefined;
}

const engine = () => fetchPart(() => import('./webgpu/gguf-webgpu.js'));

/** @throws InferenceError where the entry wants WebGPU alone and it cannot run there */
export async function chooseGpu(
  entry: ModelEntry,
  { candidate, refusal }: GpuOffer,
  { plan, shape, isStored }: Pick<PlannedModel, 'plan' | 'shape' | 'isStored'>,
): Promise<ChosenGpu> {
  if (!candidate) return { refusal };
  const { adapter, isSimulated } = candidate;
  const fitted = await (await engine()).fitGpu(adapter, { plan, shape, isStored, positions: entry.contextLength });
  if ('why' in fitted) return { refusal: checkRefusal(entry, fitted) };
  return { model: fitted, isSimulated };
}

/** @throws InferenceError where the entry wants WebGPU alone */
export function refuseEncoder(entry: ModelEntry, { candidate, refusal }: GpuOffer): ChosenGpu {
  if (!candidate) return { refusal };
  return { refusal: checkRefusal(entry, { code: 'model_not_supported', why: 'encoders run on WASM alone' }) };
}

/** What a trial needs, and whom it tells. */
interface ConfirmOptions extends Pick<LoadOptions, 'onProgress'> {
  source: TrialSource;
  warn: (warning: string) => void;
}

/** Where a model runs in the end. */
interface Confirmed {
  /** Undefined: on WASM. */
  openForward?: OpenForward;
  deviceReason?: string;
  /** Remembers how the GPU was found, when the file is there as a whole. */
  keep?: () => Promise<void>;
}

/** @throws InferenceError `model_not_supported` where the entry wants WebGPU alone and the GPU is wrong */
export async function confirmGpu(
  entry: ModelEntry,
  { model, isSimulated = false, refusal }: ChosenGpu,
  { source, warn, onProgress }: ConfirmOptions,
): Promise<Confirmed> {
  if (!model) return refusal ? { deviceReason: reasonOf(refusal) } : {};
  const onCompile = (): void => onProgress({ model: entry.id, loadedBytes: 0, totalBytes: 0, stage: 'compile' });
  onCompile();
  const { tryGpuOnce, openOnGpu } = await engine();
  const { isRight, keepsBits, tried, keep } = await tryGpuOnce(model, source, isSimulated);
  if (!isRight) {
    model.device.destroy();
    const why = 'the self-check of this GPU failed: it does not compute what WASM computes';
    // Where the entry is refused, the file may be there from before.
    if (entry.device === 'webgpu') await keep();
    return { deviceReason: reasonOf(checkRefusal(entry, { code: 'model_not_supported', why })), keep };
  }
  if (isSimulated) warn(SIMULATED);
  if (!keepsBits) warn(OTHER_BITS);
  const { file } = source;
  return { openForward: (read, openStored) => openOnGpu(tried, { file, read, openStored, onCompile }), keep };
}

/**
 * Assembles a model where it was found to run; on WASM where a GPU fails meanwhile and the entry does not want it alone.
 * @param assemble may be called twice
 */
export async function assembleOn<Model>(
  entry: ModelEntry,
  confirmed: Confirmed,
  assemble: (on: Confirmed) => Promise<Model>,
): Promise<Model> {
  const assembled = async (on: Confirmed): Promise<Model> => {
    const model = await assemble(on);
    await confirmed.keep?.();
    return model;
  };
  try {
    return await assembled(confirmed);
  } catch (error) {
    const isCancelled = isInferenceError(error) && error.code === 'cancelled';
    if (!confirmed.openForward || entry.device === 'webgpu' || isCancelled) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const refusal = {
      code: 'insufficient_resources',
      why: `the GPU failed when the model was loaded: ${reason}`,
    } as const;
    return assembled({ deviceReason: reasonOf(refusal).replace(/\.\.$/, '.') });
  }
}
