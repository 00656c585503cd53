/** A WebGPU shader that finds the greatest logits of rows in GPU memory. @module */
import { bindGroup, type ComputeQueue, dispatch, filledBuffer } from './compute-pass.js';

/**
 * Floats as integers of the same order, 0 for NaN. A 16-bit float is given in the upper half of a word.
 * @param bits of the float
 */
export const ORDER_OF = /* wgsl */ `
override HALF: bool = false;

fn orderOf(bits: u32) -> u32 {
  let magnitude = bits & 0x7fffffffu;
  if (magnitude == 0u) { return 0x80000000u; }
  if (magnitude > select(0x7f800000u, 0x7c000000u, HALF)) { return 0u; }
  return select(bits | 0x80000000u, ~bits, (bits & 0x80000000u) != 0u);
}`;

/** Threads of a workgroup, and logits per workgroup in the first of the two passes. */
export const THREADS = 256;
export const CHUNK = 4096;

/**
 * Floats are mapped to integers of the same order, so nothing is rounded; NaN becomes 0 and is never found. Each round
 * finds the next greatest logit, of equal ones that with the lowest id.
 */
const SHADER = /* wgsl */ `
struct Shape {
  count: u32,
  size: u32,
  chunk: u32,
  given: u32,
  keep: u32,
  stride: u32,
}
struct Found {
  order: u32,
  id: u32,
}
override MERGE: bool = false;
@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<Found>;
@group(0) @binding(2) var<uniform> shape: Shape;
var<workgroup> best: array<Found, ${THREADS}>;

${ORDER_OF}

fn candidate(row: u32, column: u32) -> Found {
  if (MERGE) {
    let entry = (row * shape.size + column) * 2u;
    return Found(words[entry], words[entry + 1u]);
  }
  let start = ((row / shape.keep + 1u) * shape.given - shape.keep + row % shape.keep) * shape.stride;
  let entry = start + column;
  if (HALF) {
    let word = words[entry >> 1u];
    return Found(orderOf(select(word << 16u, word & 0xffff0000u, (entry & 1u) == 1u)), column);
  }
  return Found(orderOf(words[entry]), column);
}

fn precedes(a: Found, b: Found) -> bool {
  return a.order > b.order || (a.order == b.order && a.id < b.id);
}

@compute @workgroup_size(${THREADS})
fn selectGreatest(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let row = group.y;
  let end = min((group.x + 1u) * shape.chunk, shape.size);
  var last = Found(0xffffffffu, 0u);
  for (var round = 0u; round < shape.count; round += 1u) {
    var own = Found(0u, 0xffffffffu);
    for (var column = group.x * shape.chunk + thread; column < end; column += ${THREADS}u) {
      let other = candidate(row, column);
      if (precedes(last, other) && precedes(other, own)) { own = other; }
    }
    best[thread] = own;
    workgroupBarrier();
    for (var half = ${THREADS / 2}u; half > 0u; half /= 2u) {
      if (thread < half && precedes(best[thread + half], best[thread])) { best[thread] = best[thread + half]; }
      workgroupBarrier();
    }
    last = workgroupUniformLoad(&best[0]);
    if (thread == 0u) { results[(row * groups.x + group.x) * shape.count + round] = last; }
  }
}`;

/** Rows of logits in GPU memory, `[rows, given, stride]`. */
export interface LogitRows {
  buffer: GPUBuffer;
  /** Used bytes of the buffer. */
  bytes: number;
  rows: number;
  given: number;
  stride: number;
  /** How many tokens at the end of each row are read. */
  keep: number;
  /** Logits per token; the rest of the stride is padding. */
  size: number;
}

/** Bytes of one result: the float mapped to an integer, and its id. */
export const FOUND_BYTES = 8;

interface SelectionPass {
  /** The words of the shader's `Shape`. */
  shape: readonly number[];
  input: GPUBufferBinding;
  output: GPUBuffer;
  /** Workgroups for each row. */
  columns: number;
  rows: number;
}

/** The compiled shader on one device. */
export class TopKSelection {
  readonly #device: GPUDevice;
  readonly #scan: GPUComputePipeline;
  readonly #merge: GPUComputePipeline;

  private constructor(device: GPUDevice, scan: GPUComputePipeline, merge: GPUComputePipeline) {
    this.#device = device;
    this.#scan = scan;
    this.#merge = merge;
  }

  /** @param half the logits are 16-bit floats */
  static async on(device: GPUDevice, half: boolean): Promise<TopKSelection> {
    const module = device.createShaderModule({ code: SHADER });
    const compile = (constants: Record<string, number>): Promise<GPUComputePipeline> =>
      device.createComputePipelineAsync({ layout: 'auto', compute: { module, constants } });
    const [scan, merge] = await Promise.all([compile({ HALF: Number(half) }), compile({ MERGE: 1 })]);
    return new TopKSelection(device, scan, merge);
  }

  /**
   * Queues two passes: the first finds the greatest of each chunk, the second the greatest of those.
   * @returns `[rows * keep, count]` results, the greatest first; the caller destroys the buffer
   */
  run(logits: LogitRows, count: number, queue: ComputeQueue): GPUBuffer {
    const { buffer, bytes, given, stride, keep, size } = logits;
    const rows = logits.rows * keep;
    const chunks = Math.ceil(size / CHUNK);
    const found = this.#buffer(rows * chunks * count * FOUND_BYTES);
    const first = { buffer, size: Math.ceil(bytes / 4) * 4 };
    const scanned = [count, size, CHUNK, given, keep, stride];
    this.#queue(this.#scan, { shape: scanned, input: first, output: found, columns: chunks, rows }, queue);
    if (chunks === 1) return found;
    queue.temporary.push(found);
    const merged = this.#buffer(rows * count * FOUND_BYTES);
    const all = chunks * count;
    const merging = [count, all, all, 0, 1, 0];
    this.#queue(this.#merge, { shape: merging, input: { buffer: found }, output: merged, columns: 1, rows }, queue);
    return merged;
  }

  #queue(
    pipeline: GPUComputePipeline,
    { shape, input, output, columns, rows }: SelectionPass,
    queue: ComputeQueue,
  ): void {
    const uniform = filledBuffer(this.#device, Uint32Array.from(shape), GPUBufferUsage.UNIFORM);
    const group = bindGroup(this.#device, pipeline.getBindGroupLayout(0), [
      input,
      { buffer: output },
      { buffer: uniform },
    ]);
    dispatch(queue, pipeline, group, { columns, rows });
    queue.temporary.push(uniform);
  }

  #buffer(size: number): GPUBuffer {
    return this.#device.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
  }
}
