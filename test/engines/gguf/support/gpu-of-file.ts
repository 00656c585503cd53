/** What the engine on a GPU computes of a made file. @module */
import { KvPages, KvSequence } from '../../../../src/engines/gguf/kv-pages.js';
import type { ReadRange } from '../../../../src/engines/gguf/file/header.js';
import type { ForwardShape } from '../../../../src/engines/gguf/forward-shape.js';
import { type ModelPlan, planModel } from '../../../../src/engines/gguf/model-plan.js';
import { GpuForward } from '../../../../src/engines/gguf/webgpu/gpu-forward.js';
import { type PlacedModel, placeModel } from '../../../../src/engines/gguf/webgpu/place-model.js';
import { openTable } from '../../../../src/engines/gguf/webgpu/stored-table.js';
import { WeightPlaces } from '../../../../src/engines/gguf/webgpu/weight-places.js';
import type { Pipelines } from '../../../../src/engines/gguf/webgpu/pipelines.js';
import type { RowClass } from '../../../../src/engines/gguf/webgpu/dispatch.js';
import type { ShaderTuning } from '../../../../src/engines/gguf/webgpu/shaders/tuning.js';
import { headerOf } from './tiny-model.js';

/** A file on a GPU. */
export interface GpuFile {
  forward: GpuForward;
  shape: ForwardShape;
  fresh(): KvSequence;
  /** Logits after each token, read in pieces. */
  read(tokens: readonly number[], piece?: number, kv?: KvSequence): Promise<Float32Array[]>;
}

interface GpuFileOptions {
  precision?: 16 | 32;
  classes?: readonly RowClass[];
  /** Bytes of a binding. */
  limit?: number;
  /** Bytes of a binding, for the tables of tokens. */
  tableLimit?: number;
  /** The table of inputs for layers stays where it is. */
  isStored?: boolean;
  pipelines?: Pipelines;
  tuning?: ShaderTuning;
}

export async function gpuOfFile(
  device: GPUDevice,
  file: Uint8Array,
  {
    precision = 32,
    classes = [1, 'tile'],
    limit = 2 ** 27,
    tableLimit,
    pipelines,
    tuning,
    isStored = false,
  }: GpuFileOptions = {},
): Promise<GpuFile> {
  const header = await headerOf(file);
  const plan = planModel(header);
  const shape: ForwardShape = { ...plan.shape, exact: precision === 32, precision };
  const placed = tableLimit === undefined ? placeModel(plan, limit, isStored) : withCutTables(plan, tableLimit);
  const read: ReadRange = async (from, to) => file.subarray(from, to);
  const table = isStored ? await openTable(plan.layerInputs!.table, read) : undefined;
  const options = { device, plan, shape, placed, limit, table, maxRows: 64 };
  const forward = new GpuForward({ ...options, ...(pipelines && { pipelines }), ...(tuning && { tuning }) });
  await Promise.all([forward.load('tiny.gguf', read), forward.compile(classes)]);
  const pages = new KvPages(forward.pages, shape, 2 ** 26, forward.pages.blockBytes);
  const fresh = (): KvSequence => new KvSequence(pages);
  return {
    forward,
    shape,
    fresh,
    async read(tokens, piece = 32, kv = fresh()) {
      const logits: Float32Array[] = [];
      for (let from = 0; from < tokens.length; from += piece) {
        const part = tokens.slice(from, from + piece);
        const spans = [{ kv, tokens: part, keep: part.length }];
        await forward.bring(spans);
        const [given] = await forward.run(spans);
        logits.push(...(given as Float32Array[]));
      }
      return logits;
    },
  };
}

/** As on a GPU that binds so little that tables are cut; what belongs together stays whole. */
function withCutTables(plan: ModelPlan, limit: number): PlacedModel {
  const whole = placeModel(plan, 2 ** 27);
  const cut = new WeightPlaces(limit);
  const [embedding, head] = [cut.place([plan.embedding]), cut.place([plan.head])];
  const isTable = (part: { tensor: unknown }): boolean =>
    [plan.embedding, plan.head].some(({ tensor }) => tensor === part.tensor);
  const parts = [...whole.places.parts.filter(({ part }) => !isTable(part)), ...cut.parts];
  return { ...whole, places: { slabs: [...whole.places.slabs, ...cut.slabs], parts }, embedding, head };
}
