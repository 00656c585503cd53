/** Dispatches of a pass, and what they compute in. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { Pipeline } from './pipelines.js';

/** Most rows of a product's shader, or tiles of many rows. */
export type RowClass = 1 | 2 | 4 | 8 | 'tile';
export const ROW_CLASSES = [1, 2, 4, 8, 'tile'] as const;

/** One dispatch. */
export interface Dispatch {
  pipeline: Pipeline;
  group: GPUBindGroup;
  /** Of its parameters, in bytes. */
  offset: number;
  /** Workgroups of a row, or of so many rows; 0: one for each. */
  x: number;
  rowsEach: number;
  /** In its place: their number for so many rows. */
  y?: (rows: number) => number;
  /** It is dispatched for sequences, not for rows. */
  isBySpan?: boolean;
  /** What is dispatched instead where positions are read side by side. */
  split?: readonly Dispatch[];
  /** Or where rows that follow each other share what is read. */
  tiled?: Dispatch;
}

/** What a pass computes in. */
export type PassBuffers = Readonly<
  Record<
    | 'x'
    | 'y'
    | 'branch'
    | 'qkv'
    | 'attended'
    | 'wishedX'
    | 'wishedAttended'
    | 'mixing'
    | 'mixed'
    | 'wishedMixed'
    | 'inner'
    | 'up'
    | 'inputs'
    | 'stored'
    | 'wishedInputs'
    | 'scores'
    | 'routes'
    | 'given'
    | 'logits'
    | 'pieces'
    | 'best'
    | 'ids'
    | 'plan'
    | 'state',
    GPUBuffer
  >
>;

const numbers = new Float32Array(1);
const bits = new Uint32Array(numbers.buffer);
/** A float as a word. */
export function wordOf(value: number): number {
  numbers[0] = value;
  return bits[0]!;
}

/** @param count rows, sequences or wishes @param z splits */
export function dispatch(pass: GPUComputePassEncoder, step: Dispatch, count: number, z = 1): void {
  const { pipeline, group, offset, x, rowsEach, y } = step;
  if (!pipeline.made) throw new InferenceError('internal', `The shader "${pipeline.label}" is not compiled.`);
  pass.setPipeline(pipeline.made);
  pass.setBindGroup(0, group, [offset]);
  if (x === 0) pass.dispatchWorkgroups(count);
  else pass.dispatchWorkgroups(x, y ? y(count) : Math.ceil(count / rowsEach), z);
}
