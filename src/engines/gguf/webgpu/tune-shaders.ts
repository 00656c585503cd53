/** Finds the tuning of a model's shaders on a GPU, with matrices as large as the model's. Nothing of its weights is needed. @module */
import type { ModelPlan } from '../model-plan.js';
import type { MatrixPlan } from '../model-tensors.js';
import { partsOf } from '../model-weights.js';
import { chooseTuning, type MeasureTuning, type TimedWork } from './choose-tuning.js';
import { wordOf } from './dispatch.js';
import { GpuMemory } from './gpu-memory.js';
import { GpuTimer } from './gpu-timer.js';
import { PARAMETER_BYTES, type Pipelines } from './pipelines.js';
import { planesOf } from './planes.js';
import { productShader, tileShader } from './shaders/product.js';
import { NONE, TILE } from './shaders/sizes.js';
import { DEFAULT_TUNING, productRows, type ShaderTuning } from './shaders/tuning.js';
import { allParts, partWords } from './step-maker.js';
import { type PlacedPiece, WeightPlaces } from './weight-places.js';

/** Bytes of weights for a row of activations: more than caches hold. */
const SAMPLE = 2 ** 27;
/** Rows of activations of a prompt, and rows and columns of a matrix for it at most. */
const [TOKENS, SIDE] = [256, 2048];
/** Seconds of a measurement, beside which what browsers round is little: 0.1 ms of a GPU's clock, and 1 ms of their own. */
const ENOUGH = { byTimestamps: 0.008, byClock: 0.016 };
/** How often it does its work for that at most. */
const MOST_TIMES = 256;
/** Bytes that are drawn at random: all weights are made of them. */
const NOISE = 2 ** 16;

interface TunedModel {
  device: GPUDevice;
  plan: ModelPlan;
  /** Bytes of a binding. */
  limit: number;
  /** Compiles what is tried: the model may use it. */
  pipelines: Pipelines;
}

/** @param choose by what it measures @returns the one for all GPUs where something fails */
export async function tuneShaders(
  model: TunedModel,
  choose: (measure: MeasureTuning) => Promise<ShaderTuning> = chooseTuning,
): Promise<ShaderTuning> {
  const { device } = model;
  const memory = new GpuMemory(device);
  device.pushErrorScope('out-of-memory');
  device.pushErrorScope('validation');
  const choosing = async (): Promise<ShaderTuning> => choose(measureOn(await GpuTimer.of(device), model, memory));
  const chosen = await choosing().catch(() => DEFAULT_TUNING);
  memory.freeAll();
  const errors = [await device.popErrorScope(), await device.popErrorScope()];
  return errors.every((error) => error === null) ? chosen : DEFAULT_TUNING;
}

/** The seconds of a tuning are those of as many rounds as take a while with the first one. */
function measureOn(timer: GpuTimer, model: TunedModel, memory: GpuMemory): MeasureTuning {
  const { kind, products } = timedProducts(model, memory);
  const times: Partial<Record<TimedWork, number>> = {};
  const enough = timer.hasTimestamps ? ENOUGH.byTimestamps : ENOUGH.byClock;
  const shaderOf = ({ lanes, halves }: ShaderTuning, work: TimedWork): string =>
    work === 'row'
      ? productShader({ kinds: [kind], rows: 1, lanes, end: 'each' })
      : tileShader(kind, { lanes, halves });
  return async (tuning, work) => {
    const label = `${work === 'row' ? 1 : 'tile'} × ${kind} each`;
    const pipeline = model.pipelines.get('product', label, shaderOf(tuning, work));
    await pipeline.compile();
    const height = work === 'row' ? productRows(1, tuning.lanes) : TILE.rows;
    const y = work === 'row' ? 1 : TOKENS / TILE.tokens;
    const run = (rounds: number): Promise<number> =>
      timer.secondsOf((pass) => {
        pass.setPipeline(pipeline.made!);
        for (let round = 0; round < rounds; round++) {
          for (const { group, offset, rows } of products[work]) {
            pass.setBindGroup(0, group, [offset]);
            pass.dispatchWorkgroups(Math.ceil(rows / height), y);
          }
        }
      }, 1);
    // What runs for the first time is slower.
    await run(1);
    times[work] ??= Math.min(MOST_TIMES, Math.ceil(enough / (await run(1))));
    return run(times[work]);
  };
}

/** A product that is timed. */
interface TimedProduct {
  group: GPUBindGroup;
  /** Of its parameters. */
  offset: number;
  rows: number;
}

/** Those of a row, and one of a prompt, with numbers drawn at random. */
function timedProducts({ plan, limit, pipelines }: TunedModel, memory: GpuMemory) {
  const matrices = sampleOf(plan, Math.min(SAMPLE, limit));
  const places = new WeightPlaces(limit);
  const pieces = matrices.map((matrix) => places.place([matrix])[0]!);
  const slabs = new Map(places.slabs.map((slab) => [slab, memory.buffer(slab.bytes)]));
  fill(memory, [...slabs.values()]);
  const most = (of: (piece: PlacedPiece) => number): number => Math.max(TOKENS * SIDE, ...pieces.map(of));
  const x = memory.buffer(most(({ columns }) => columns) * 4);
  const result = memory.buffer(most(({ parts }) => parts[0]!.rows) * 4);
  const [vectors, counts] = [memory.buffer(4), memory.buffer(8)];
  memory.write(counts, 0, Uint32Array.of(1, TOKENS));
  const parameters = memory.buffer((pieces.length + 1) * PARAMETER_BYTES, 'uniform');
  let offset = -PARAMETER_BYTES;
  const productOf = ({ slab, columns, parts }: PlacedPiece, list: 0 | 1, side: number): TimedProduct => {
    const rows = Math.min(side, parts[0]!.rows);
    const head = [Math.min(side, columns) / 32, rows, 0, 0, list, wordOf(1), 0, 0];
    const words = allParts(partWords({ ...parts[0]!, rows }, { out: 0, group: 0, bias: NONE }));
    offset += PARAMETER_BYTES;
    memory.write(parameters, offset, Uint32Array.of(...head, ...words));
    const weights = slabs.get(slab);
    const group = pipelines.bind('product', [weights, weights, x, result, vectors, counts, parameters]);
    return { group, offset, rows };
  };
  const row = pieces.map((piece) => productOf(piece, 0, Infinity));
  return { kind: matrices[0]!.tensor.kind, products: { row, tile: [productOf(pieces[0]!, 1, SIDE)] } };
}

/**
 * Matrices of the kind that most of what a token reads is of: of each number of columns the largest, as often as its share of
 * so many bytes says, those of the largest share first.
 */
function sampleOf({ head, layers }: ModelPlan, bytes: number): MatrixPlan[] {
  const all = [head, ...layers.flatMap(({ matrices }) => partsOf(matrices))];
  const [alike] = groupsOf(all, ({ tensor }) => tensor.kind);
  const most = Math.min(bytes, bytesOf(alike!));
  return groupsOf(alike!, ({ tensor }) => tensor.shape[0]).flatMap((group) => {
    const largest = group.reduce((one, other) => (other.rows > one.rows ? other : one));
    const count = (most * bytesOf(group)) / bytesOf(alike!) / bytesOf([largest]);
    const rows = Math.min(largest.rows, Math.max(TILE.rows, Math.floor(largest.rows * count)));
    return Array.from({ length: Math.max(1, Math.floor(count)) }, () => ({ ...largest, rows }));
  });
}

/** Those with the same key together, those with the most bytes first. */
function groupsOf(matrices: readonly MatrixPlan[], keyOf: (matrix: MatrixPlan) => unknown): MatrixPlan[][] {
  const groups = new Map<unknown, MatrixPlan[]>();
  for (const matrix of matrices) {
    const group = groups.get(keyOf(matrix));
    if (group) group.push(matrix);
    else groups.set(keyOf(matrix), [matrix]);
  }
  return [...groups.values()].toSorted((a, b) => bytesOf(b) - bytesOf(a));
}

const bytesOf = (matrices: readonly MatrixPlan[]): number =>
  matrices.reduce((sum, { tensor, rows }) => sum + planesOf(tensor.kind, rows, tensor.shape[0]!).bytes, 0);

/** With numbers at random, because memory of zeros may be read faster. */
function fill(memory: GpuMemory, buffers: readonly GPUBuffer[]): void {
  const noise = memory.buffer(NOISE);
  memory.write(noise, 0, crypto.getRandomValues(new Uint8Array(NOISE)));
  const encoder = memory.device.createCommandEncoder();
  for (const buffer of buffers)
    for (let at = 0; at < buffer.size; at += NOISE)
      encoder.copyBufferToBuffer(noise, 0, buffer, at, Math.min(NOISE, buffer.size - at));
  memory.device.queue.submit([encoder.finish()]);
}
