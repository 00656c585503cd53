/** The precision of a model's weights on a device. @module */
import type { Dtype, ModelEntry } from '../../../core/models/model-entry.js';

/** A graph's file, as repositories made for transformers.js name it. */
export function graphFile(graph: string, dtype: string): string {
  return `onnx/${graph}${dtypeSuffix(dtype)}.onnx`;
}

/** What stands for a precision in a file's name. */
export function dtypeSuffix(dtype: string): string {
  return dtype === 'fp32' ? '' : dtype === 'q8' ? '_quantized' : `_${dtype}`;
}

/** Precisions whose weights are unpacked in every product: fast on a GPU, very slow in WASM. */
const PACKED = /^(q[124]|bnb4)/;

/** Of 16-bit floats: a GPU may not have them. */
const HALF = /f16$|^fp16$/;

/** What the entry itself says for a device; undefined: nothing, or `auto`. */
export function dtypeFor({ dtype }: ModelEntry, device: 'webgpu' | 'wasm'): Dtype | undefined {
  const byDevice = typeof dtype === 'object' && ('wasm' in dtype || 'webgpu' in dtype || isEmpty(dtype));
  const said = byDevice ? (dtype as Record<typeof device, Dtype | undefined>)[device] : (dtype as Dtype | undefined);
  return said === 'auto' ? undefined : said;
}

/** The precision of one part of a model. */
export function dtypeOf(dtype: Dtype | undefined, graph: string): string | undefined {
  const said = typeof dtype === 'object' ? dtype[graph] : dtype;
  return said === 'auto' ? undefined : said;
}

/** A part that cannot run where there are no 16-bit floats; undefined: there is none. */
export function halfFloatsIn(dtype: Dtype | undefined): string | undefined {
  return (typeof dtype === 'object' ? Object.values(dtype) : [dtype]).find((each) => each && HALF.test(each));
}

/** Why a precision should not be used on a device; undefined: nothing speaks against it. */
export function dtypeWarning(dtype: string | undefined, device: 'webgpu' | 'wasm'): string | undefined {
  if (device !== 'wasm' || dtype === undefined || !PACKED.test(dtype)) return undefined;
  return `${dtype} on WASM decodes about seven times slower than q8: use dtype 'auto', or { wasm: 'q8', webgpu: '${dtype}' }.`;
}

/** What a choice of precision depends on. */
export interface DtypeChoice {
  device: 'webgpu' | 'wasm';
  /** The GPU computes with 16-bit floats. */
  halfFloats: boolean;
  /** The model's graphs, e.g. `model`. */
  graphs: readonly string[];
  /** Whether the repository has a file. */
  has: (file: string) => Promise<boolean>;
}

/**
 * What the entry says; for chat models that say nothing the fastest form that the repository has: 8 bits on WASM, 4 on
 * WebGPU, for each part of a model in parts. Undefined: transformers.js's own default.
 */
export async function chooseDtype(entry: ModelEntry, choice: DtypeChoice): Promise<Dtype | undefined> {
  const { device, halfFloats, graphs, has } = choice;
  const said = dtypeFor(entry, device);
  if (typeof said === 'string' || entry.task !== 'chat') return said;
  const halves = halfFloats ? ['q4f16'] : [];
  const parts: Record<string, string> = {};
  for (const graph of graphs) {
    const wished = device === 'wasm' ? ['q8', 'int8', 'uint8'] : [...halves, 'q4'];
    // A part of several may lack small forms; transformers.js would not look for what is there instead.
    const others = graphs.length > 1 ? [...(halfFloats ? ['fp16'] : []), 'fp32'] : [];
    const chosen =
      dtypeOf(said, graph) ?? (await firstOf([...wished, ...others], (each) => has(graphFile(graph, each))));
    if (chosen !== undefined) parts[graph] = chosen;
  }
  return graphs.length > 1 ? parts : parts[graphs[0]!];
}

async function firstOf(all: readonly string[], holds: (each: string) => Promise<boolean>): Promise<string | undefined> {
  for (const each of all) if (await holds(each)) return each;
  return undefined;
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}
