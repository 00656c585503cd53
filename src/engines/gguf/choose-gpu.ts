/** Whether a model runs on a GPU: by its head before its weights are fetched, by a trial before they are loaded. @module */
import { fetchPart } from '../../core/errors/fetch-part.js';
import { isInferenceError } from '../../core/errors/inference-error.js';
import type { LoadOptions } from '../../core/models/backend.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { PlannedModel } from './assemble-text-model.js';
import type { GgufSource } from './gguf-source.js';
import type { GpuOffer } from './gpu-candidate.js';
import { checkRefusal, type GpuRefusal, OTHER_BITS, reasonOf, SIMULATED } from './gpu-refusal.js';
import type { OpenForward } from './opened-forward.js';
import type { GpuModel } from './webgpu/gguf-webgpu.js';

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
  source: Pick<GgufSource<unknown>, 'file' | 'files'>;
  warn: (warning: string) => void;
}

/** Where a model runs in the end. */
interface Confirmed {
  /** Undefined: on WASM. */
  openForward?: OpenForward;
  deviceReason?: string;
}

/** @throws InferenceError `model_not_supported` where the entry wants WebGPU alone and the GPU is wrong */
export async function confirmGpu(
  entry: ModelEntry,
  { model, isSimulated, refusal }: ChosenGpu,
  { source, warn, onProgress }: ConfirmOptions,
): Promise<Confirmed> {
  if (!model) return refusal ? { deviceReason: reasonOf(refusal) } : {};
  const onCompile = (): void => onProgress({ model: entry.id, loadedBytes: 0, totalBytes: 0, stage: 'compile' });
  onCompile();
  const { openOnGpu } = await engine();
  const { isRight, keepsBits, tried } = await tryTuned(model, source, isSimulated);
  if (!isRight) {
    model.device.destroy();
    const why = 'the self-check of this GPU failed: it does not compute what WASM computes';
    return { deviceReason: reasonOf(checkRefusal(entry, { code: 'model_not_supported', why })) };
  }
  if (isSimulated) warn(SIMULATED);
  if (!keepsBits) warn(OTHER_BITS);
  const { file } = source;
  return { openForward: (read, openStored) => openOnGpu(tried, { file, read, openStored, onCompile }) };
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
  try {
    return await assemble(confirmed);
  } catch (error) {
    const isCancelled = isInferenceError(error) && error.code === 'cancelled';
    if (!confirmed.openForward || entry.device === 'webgpu' || isCancelled) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const refusal = {
      code: 'insufficient_resources',
      why: `the GPU failed when the model was loaded: ${reason}`,
    } as const;
    return assemble({ deviceReason: reasonOf(refusal).replace(/\.\.$/, '.') });
  }
}

interface Trial {
  isRight: boolean;
  keepsBits: boolean;
  tried: GpuModel;
}

/**
 * Tries a GPU with the shaders that are the fastest there; where they compute something else, with those for all GPUs. A GPU that
 * is simulated is not worth the time of finding out.
 */
async function tryTuned(model: GpuModel, source: ConfirmOptions['source'], isSimulated = false): Promise<Trial> {
  const { tryGpu, tuneGpu, withTuning } = await engine();
  const trial = async (tried: GpuModel): Promise<Trial> => {
    const [isRight, keepsBits] = await remembered(['computes right', 'keeps bits'], tried, source, async () => {
      const found = await tryGpu(tried);
      return [found.isRight, found.keepsBits];
    });
    return { isRight: isRight!, keepsBits: keepsBits!, tried };
  };
  if (isSimulated) return trial(model);
  const [two, four, halves] = await remembered(['32 sums', '64 sums', 'halves'], model, source, async () => {
    const found = await tuneGpu(model);
    return [found.lanes === 32, found.lanes === 64, found.halves];
  });
  const tuned = withTuning(model, { lanes: four ? 64 : two ? 32 : 16, halves: halves! });
  const found = await trial(tuned);
  return tuned === model || (found.isRight && found.keepsBits) ? found : trial(model);
}

/** What was found of this GPU, browser and version of the shaders with this file; found out once. */
async function remembered(
  questions: readonly string[],
  { identity }: GpuModel,
  { file, files }: ConfirmOptions['source'],
  find: () => Promise<readonly boolean[]>,
): Promise<readonly boolean[]> {
  const asked = questions.map((question) => `${question} (${identity})`);
  const known = await Promise.all(asked.map((question) => files.fact(file, question)));
  const answers = known.filter((answer) => answer !== undefined);
  if (answers.length === asked.length) return answers;
  const found = await find();
  try {
    // One after the other: each is written beside those that are there.
    for (const [index, question] of asked.entries()) await files.keepFact(file, question, found[index]!);
  } catch {
    // A full disk is no reason to fail.
  }
  return found;
}
