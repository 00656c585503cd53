/** How fast the GGUF engine is on a GPU, beside what the GPU's memory gives. Of `npm run bench -- --only gpu`, and of the playground. @module */
import type { GgufHeader, ReadRange } from '../../src/engines/gguf/file/header.js';
import type { TokenChoice } from '../../src/engines/gguf/forward-interface.js';
import { KvPages, KvSequence } from '../../src/engines/gguf/kv-pages.js';
import { type ModelPlan, planModel } from '../../src/engines/gguf/model-plan.js';
import { GpuForward } from '../../src/engines/gguf/webgpu/gpu-forward.js';
import { GpuTimer } from '../../src/engines/gguf/webgpu/gpu-timer.js';
import { placeModel } from '../../src/engines/gguf/webgpu/place-model.js';
import { Pipelines } from '../../src/engines/gguf/webgpu/pipelines.js';
import { measureBandwidth } from './gpu-bandwidth.js';
import { madeWeights } from './made-weights.js';
import { measureTunings, type Tunings } from './measure-tunings.js';
import { headerOf, MODEL_SIZES, type ModelName } from './model-sizes.js';
import { recordDispatches, type RecordedDispatch, replay } from './recorded-dispatches.js';

/** A model without its file. */
export interface MeasuredModel {
  header: GgufHeader;
  plan: ModelPlan;
  read: ReadRange;
}

export interface ModelSpeeds {
  name: ModelName;
  /** Bytes that a token reads: all but the table of tokens, which a head that is tied to it reads too. */
  weightBytes: number;
  /** Of the shaders, with which all else was measured. */
  tunings: Tunings;
  /** Tokens a second: one answer, eight answers together, a prompt; and one answer behind many positions, and their prompt. */
  decode: number;
  eight: number;
  prompt: number;
  far: { positions: number; decode: number; prompt: number };
  /** Of the WASM engine with one thread, where it was measured: one answer. */
  wasm?: number;
  /** Dispatches and milliseconds of a token by shader. */
  shares: { shader: string; dispatches: number; ms: number }[];
}

export interface GpuSpeeds {
  adapter: string;
  where: string;
  isSimulated: boolean;
  hasTimestamps: boolean;
  /** Bytes a second. */
  read: number;
  copy: number;
  models: ModelSpeeds[];
}

export interface MeasureOptions {
  models: readonly ModelName[];
  /** The browser, or what runs this. */
  where: string;
  /** Tokens a second of the same model without a GPU. */
  decodeOnWasm?: (model: MeasuredModel, steps: number) => Promise<number>;
  onStep?: (what: string) => void;
}

/** How much is measured: a GPU in software is slow. */
interface Effort {
  bytes: number;
  steps: number;
  prompt: number;
  positions: number;
}
const REAL: Effort = { bytes: 2 ** 28, steps: 64, prompt: 1024, positions: 3000 };
const SIMULATED: Effort = { bytes: 2 ** 24, steps: 8, prompt: 64, positions: 320 };

const LARGE = 2 ** 30;
const GREEDY: TokenChoice = { temperature: 0, topK: 0, topP: 1, minP: 0, seed: 0 };

/** @throws what a GPU without room does */
export async function measureGpu(adapter: GPUAdapter, options: MeasureOptions): Promise<GpuSpeeds> {
  const { models, where, onStep = () => {} } = options;
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  const limit = Math.min(maxBufferSize, maxStorageBufferBindingSize, LARGE);
  const device = await adapter.requestDevice({
    requiredLimits: { maxBufferSize: limit, maxStorageBufferBindingSize: limit },
    requiredFeatures: adapter.features.has('timestamp-query') ? ['timestamp-query'] : [],
  });
  try {
    const { vendor, architecture, device: name, description, isFallbackAdapter: isSimulated } = adapter.info;
    const effort = isSimulated ? SIMULATED : REAL;
    const timer = await GpuTimer.of(device);
    onStep('bandwidth');
    const { read, copy } = await measureBandwidth(timer, Math.min(effort.bytes, limit));
    const speeds: ModelSpeeds[] = [];
    for (const model of models) {
      onStep(model);
      speeds.push(await measureModel(model, { timer, limit, effort, ...options }));
    }
    const called = [description || name, vendor, architecture].filter(Boolean).join(', ');
    const { hasTimestamps } = timer;
    return { adapter: called || 'unnamed', where, isSimulated, hasTimestamps, read, copy, models: speeds };
  } finally {
    device.destroy();
  }
}

interface ModelOptions extends MeasureOptions {
  timer: GpuTimer;
  limit: number;
  effort: Effort;
}

async function measureModel(
  name: ModelName,
  { timer, limit, effort, decodeOnWasm }: ModelOptions,
): Promise<ModelSpeeds> {
  const { device } = timer;
  const header = headerOf(MODEL_SIZES[name]);
  const plan = planModel(header);
  const shape = { ...plan.shape, exact: false, precision: 16 as const };
  const placed = placeModel(plan, limit);
  const pipelines = new Pipelines(device);
  const tunings = await measureTunings({ device, plan, limit, pipelines });
  const forward = new GpuForward({ device, plan, shape, placed, limit, pipelines, tuning: tunings.chosen });
  try {
    const read = madeWeights(header);
    await Promise.all([forward.load(header.file, read), forward.compile([1, 8, 'tile'])]);
    const pages = new KvPages(forward.pages, shape, LARGE, forward.pages.blockBytes);
    const fresh = (): KvSequence => new KvSequence(pages);
    // The first passes find out how many rows take a moment.
    await readPrompt(forward, fresh(), effort.prompt);
    const prompt = await readPrompt(forward, fresh(), effort.prompt);
    const decode = await decodeTokens(forward, [fresh()], effort.steps);
    const eight = await decodeTokens(forward, Array.from({ length: 8 }, fresh), effort.steps);
    const far = fresh();
    const farPrompt = await readPrompt(forward, far, effort.positions);
    const farDecode = await decodeTokens(forward, [far], effort.steps);
    const wasm = await decodeOnWasm?.({ header, plan, read }, effort.steps);
    const one = { kv: fresh(), tokens: [1], keep: 1, choose: [GREEDY] };
    const shares = await sharesOf(timer, await recordDispatches(device, () => forward.run([one])));
    return {
      name,
      weightBytes: header.tensors.reduce((sum, { bytes }) => sum + bytes, 0),
      tunings,
      decode,
      eight,
      prompt,
      far: { positions: effort.positions, decode: farDecode, prompt: farPrompt },
      ...(wasm !== undefined && { wasm }),
      shares,
    };
  } finally {
    forward.destroy();
  }
}

/** @returns tokens a second */
async function readPrompt(forward: GpuForward, kv: KvSequence, count: number): Promise<number> {
  const started = performance.now();
  for (let read = 0; read < count;) {
    const rows = Math.min(forward.passRows, count - read);
    await forward.run([{ kv, tokens: Array.from({ length: rows }, (_, index) => (read + index) % 300), keep: 0 }]);
    read += rows;
  }
  return (1000 * count) / (performance.now() - started);
}

/** The next pass is begun before the last token is read, as in an answer. @returns tokens a second, of all sequences */
async function decodeTokens(forward: GpuForward, sequences: readonly KvSequence[], steps: number): Promise<number> {
  const step = (isFollowing: boolean): Promise<unknown> =>
    forward.run(sequences.map((kv) => ({ kv, tokens: [1], keep: 1, choose: [GREEDY], isFollowing })));
  await step(false);
  const started = performance.now();
  let last = step(true);
  for (let index = 1; index < steps; index++) {
    const next = step(true);
    await last;
    last = next;
  }
  await last;
  return (1000 * sequences.length * steps) / (performance.now() - started);
}

/** Runs what a token dispatched again, one shader after the other. */
async function sharesOf(timer: GpuTimer, dispatches: readonly RecordedDispatch[]): Promise<ModelSpeeds['shares']> {
  const shaders = new Map<string, RecordedDispatch[]>();
  for (const one of dispatches) {
    const { label } = one.pipeline;
    shaders.set(label, [...(shaders.get(label) ?? []), one]);
  }
  const shares: ModelSpeeds['shares'] = [];
  for (const [shader, own] of shaders) {
    const seconds = await timer.secondsOf((pass) => replay(pass, own));
    shares.push({ shader, dispatches: own.length, ms: seconds * 1000 });
  }
  return shares.toSorted((a, b) => b.ms - a.ms);
}
