/** The engine of GGUF files on WebGPU. Fetched only where there is a GPU that an entry may use. @module */
import { lostEngine } from '../engine-loss.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ForwardShape } from '../forward-shape.js';
import type { ReadRange } from '../file/header.js';
import type { GpuRefusal } from '../gpu-refusal.js';
import type { ModelPlan } from '../model-plan.js';
import { matricesOf } from '../matrices-of.js';
import { KvPages } from '../kv-pages.js';
import type { OpenedForward } from '../opened-forward.js';
import { prefixCacheBytes } from '../../../language/prefix-cache/prefix-cache-bytes.js';
import { GpuForward } from './gpu-forward.js';
import { hasRoom } from './gpu-memory.js';
import { layerPageBytes, mostPages } from './gpu-pages.js';
import { firstStateBytes } from './gpu-states.js';
import { mostOf } from './layer-heads.js';
import { isPlain } from './plain-layers.js';
import { passBytes } from './pass-buffers.js';
import { type PlacedModel, placeModel, VectorPlaces } from './place-model.js';
import { Pipelines } from './pipelines.js';
import { hasShaders } from './shaders/kinds.js';
import { DEFAULT_TUNING, type ShaderTuning } from './shaders/tuning.js';
import { checkGpu, type SelfCheck, SHADER_VERSION } from './self-check.js';
import { openTable } from './stored-table.js';
import { type Trial, type TrialSource, tryRemembered } from './try-remembered.js';
import { tuneShaders } from './tune-shaders.js';

/** Bytes of a buffer beyond which larger ones save nothing. */
const LARGE = 2 ** 30;
/** Numbers of a head that attention has lanes for. */
const MOST_HEAD = 512;
/** Positions that there is room for from the beginning: as many as `contextLength` at most. */
const FIRST_POSITIONS = 1024;
/** Bytes of a table of inputs for layers up to which it lies on the GPU, where passes need not wait for its rows. */
const MOST_TABLE_BYTES = 2 ** 28;

/** What a model needs of a GPU. */
interface GpuNeeds {
  plan: ModelPlan;
  shape: ForwardShape;
  /** Positions that there must be room for. @default some */
  positions?: number | undefined;
  /** A table of inputs for layers can be read where it is stored. */
  isStored?: boolean;
}

/** A model that fits a device. */
export interface GpuModel extends GpuNeeds {
  device: GPUDevice;
  /** As far as bindings and positions reach. */
  shape: ForwardShape;
  placed: PlacedModel;
  /** @default the one for all GPUs */
  tuning?: ShaderTuning;
  /** Its table of inputs for layers stays in the store. */
  isStored?: boolean;
  /** Bytes of a binding. */
  limit: number;
  pipelines: Pipelines;
  /** Which GPU, browser and shaders: what a self-check is remembered for. */
  identity: string;
}

/** Why the shaders cannot compute a model, whatever the GPU; undefined: they can. */
function unsupportedOnGpu({ plan, shape, isStored = false }: GpuNeeds): GpuRefusal | undefined {
  if (!isPlain(plan)) {
    const why = `its architecture \`${plan.architecture}\` has no shaders`;
    return { code: 'model_not_supported', why };
  }
  for (const { tensor } of matricesOf(plan, { isStored })) {
    if (!hasShaders(tensor.kind)) {
      const why = `its tensor \`${tensor.name}\` is of kind ${tensor.kind}, which has no shaders`;
      return { code: 'model_not_supported', why };
    }
  }
  const headSize = mostOf(shape, ({ size }) => size);
  if (headSize <= MOST_HEAD) return undefined;
  return { code: 'model_not_supported', why: `its heads have ${headSize} numbers, and shaders take ${MOST_HEAD}` };
}

/** Whether a table stays in the store: a small one is of more use on the GPU. */
function leavesTable({ plan: { layerInputs }, isStored = false }: GpuNeeds): boolean {
  if (!isStored || !layerInputs) return false;
  const { bytes, kind } = layerInputs.table.tensor;
  return bytes > MOST_TABLE_BYTES || !hasShaders(kind);
}

/** Opens a device for a model, and finds out whether it has room for it. Nothing of the weights is needed. */
export async function fitGpu(adapter: GPUAdapter, needs: GpuNeeds): Promise<GpuModel | GpuRefusal> {
  const isStored = leavesTable(needs);
  const refusal = unsupportedOnGpu({ ...needs, isStored });
  if (refusal) return refusal;
  const device = await openDevice(adapter).catch(() => undefined);
  if (!device) return { code: 'insufficient_resources', why: 'the GPU gave no device' };
  const refuse = (unfit: GpuRefusal): GpuRefusal => {
    device.destroy();
    return unfit;
  };
  const { maxStorageBufferBindingSize, maxBufferSize } = device.limits;
  const limit = Math.min(maxStorageBufferBindingSize, maxBufferSize, LARGE);
  const { plan } = needs;
  const contextLength = Math.min(needs.shape.contextLength, mostPages(needs.shape, limit) * 64);
  const shape = { ...needs.shape, contextLength };
  const wanted = Math.min(needs.positions ?? FIRST_POSITIONS, needs.shape.contextLength);
  const states = firstStateBytes(shape);
  const bound = [...states, ...Object.values(passBytes(shape, undefined, limit))];
  if (contextLength < wanted || bound.some((bytes) => bytes > limit)) {
    const why = `the GPU binds ${megabytes(limit)} at a time, which is too little for it`;
    return refuse({ code: 'insufficient_resources', why });
  }
  let placed: PlacedModel;
  try {
    placed = placeModel(plan, limit, isStored);
  } catch (error) {
    const { message } = error as InferenceError;
    return refuse({ code: 'insufficient_resources', why: `the GPU cannot bind its weights: ${message}` });
  }
  const keys = layerPageBytes(shape).map((bytes) => Math.ceil(wanted / 64) * bytes);
  const vectors = new VectorPlaces(plan, shape).count * 4;
  const sizes = [
    ...placed.places.slabs.map(({ bytes }) => bytes),
    ...keys,
    ...states,
    vectors,
    ...Object.values(passBytes(shape, undefined, limit)),
  ];
  if (!(await hasRoom(device, sizes))) {
    const neededBytes = sizes.reduce((sum, size) => sum + size, 0);
    const why = `it needs ${megabytes(neededBytes)} on the GPU, which has not so much to give`;
    return refuse({ code: 'insufficient_resources', why, neededBytes });
  }
  const { vendor, architecture, device: name, description } = adapter.info;
  const browser = typeof navigator === 'undefined' ? '' : navigator.userAgent;
  const identity = JSON.stringify([vendor, architecture, name, description, browser, SHADER_VERSION]);
  return { device, plan, shape, placed, isStored, limit, pipelines: new Pipelines(device), identity };
}

/**
 * With the largest buffers that the adapter has: a model is then split less. All else are the limits that every adapter has. A
 * clock of the GPU is of use when shaders are tuned.
 */
function openDevice(adapter: GPUAdapter): Promise<GPUDevice> {
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  const requiredLimits = {
    maxBufferSize: Math.min(maxBufferSize, LARGE),
    maxStorageBufferBindingSize: Math.min(maxStorageBufferBindingSize, LARGE),
  };
  const requiredFeatures: GPUFeatureName[] = adapter.features.has('timestamp-query') ? ['timestamp-query'] : [];
  return adapter.requestDevice({ label: 'inpage gguf', requiredLimits, requiredFeatures });
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MB`;

/** Never rejects: where something fails, shaders are those for all GPUs. */
async function tuneGpu(model: GpuModel): Promise<ShaderTuning> {
  return tuneShaders(model).catch(() => DEFAULT_TUNING);
}

/** Compares the GPU with WASM. Never rejects: what fails is not right. */
export async function tryGpu(model: GpuModel): Promise<SelfCheck> {
  return checkGpu(model, model).catch(() => ({ isRight: false, keepsBits: false }));
}

/** The same with the fastest shaders, found out once. @param isSimulated the processor plays GPU */
export function tryGpuOnce(model: GpuModel, source: TrialSource, isSimulated: boolean): Promise<Trial<GpuModel>> {
  return tryRemembered({ tuneGpu, tryGpu }, model, source, isSimulated);
}

interface OpenOptions {
  file: string;
  read: ReadRange;
  openStored?: (() => Promise<ReadRange | undefined>) | undefined;
  onCompile: () => void;
}

/**
 * @param file its name, for messages
 * @param read see {@link GpuForward.load}
 * @param openStored reads the stored file at any place
 * @param onCompile is told that shaders are compiled
 */
export async function openOnGpu(
  { device, plan, shape, placed, tuning = DEFAULT_TUNING, isStored, limit, pipelines, identity }: GpuModel,
  { file, read, openStored, onCompile }: OpenOptions,
): Promise<OpenedForward> {
  const lost = lossOf(device);
  const readStored = isStored ? await openStored?.() : undefined;
  if (isStored && !readStored) throw new InferenceError('unavailable', `The file ${file} is not where it was stored.`);
  const table = readStored && (await openTable(plan.layerInputs!.table, readStored));
  const forward = new GpuForward({ device, plan, shape, placed, tuning, limit, pipelines, table });
  const opening = async (): Promise<void> => {
    onCompile();
    // What answers alone and prompts need; batches go without theirs until they are there.
    await forward.compile([1, 8, 'tile'], onCompile);
    await forward.load(file, read);
  };
  await Promise.race([opening(), lost.then((error) => Promise.reject(error))]);
  void forward.compile([2, 4]).catch(() => {});
  return {
    forward,
    pages: new KvPages(forward.pages, shape, prefixCacheBytes(), forward.pages.blockBytes),
    adapters: undefined,
    info: { device: 'webgpu', threads: 1 },
    contextLength: shape.contextLength,
    rounding: `webgpu ${identity}`,
    lost,
    dispose() {
      forward.destroy();
      device.destroy();
    },
  };
}

/** Resolves when a device is lost, or did what it cannot do. Not when it is given back. */
function lossOf(device: GPUDevice): Promise<InferenceError> {
  return new Promise((resolve) => {
    let isTold = false;
    const report = (reason: string): void => {
      if (isTold) return;
      isTold = true;
      console.warn(`inpage: the GPU failed: ${reason}`);
      resolve(lostEngine(new Error(reason)));
    };
    device.addEventListener('uncapturederror', ({ error }) => {
      report(error.message);
      device.destroy();
    });
    void device.lost.then(({ reason, message }) => {
      if (reason !== 'destroyed') report(message || 'its device was lost');
    });
  });
}
