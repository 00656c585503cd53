/** The precision of a model's weights on a device. @module */
import type { Dtype, ModelEntry } from '../../../core/models/model-entry.js';

/** The file of a graph in repositories for transformers.js. */
export function graphFile(graph: string, dtype: string): string {
  return `onnx/${graph}${dtypeSuffix(dtype)}.onnx`;
}

/** The suffix of a precision in file names. */
export function dtypeSuffix(dtype: string): string {
  return dtype === 'fp32' ? '' : dtype === 'q8' ? '_quantized' : `_${dtype}`;
}

/** Precisions whose weights are unpacked in every product: fast on a GPU, very slow on WASM. */
const PACKED = /^(q[124]|bnb4)/;

/** Precisions that compute with 16-bit floats, which some GPUs lack. */
const HALF = /f16$|^fp16$/;

/** The entry's precision for a device; undefined for none or `auto`. */
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

/** A precision that needs 16-bit floats; undefined when none does. */
export function halfFloatsIn(dtype: Dtype | undefined): string | undefined {
  return (typeof dtype === 'object' ? Object.values(dtype) : [dtype]).find((each) => each && HALF.test(each));
}

/** A warning against a precision that is slow on a device; undefined when it is not. */
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
 * The entry's precision; for chat models without one the fastest of the repository, 8 bits on WASM and 4 on WebGPU, for
 * each graph. Undefined: transformers.js's default.
 */
export async function chooseDtype(entry: ModelEntry, choice: DtypeChoice): Promise<Dtype | undefined> {
  const { device, halfFloats, graphs, has } = choice;
  const said = dtypeFor(entry, device);
  if (typeof said === 'string' || entry.task !== 'chat') return said;
  const halves = halfFloats ? ['q4f16'] : [];
  const parts: Record<string, string> = {};
  for (const graph of graphs) {
    const wished = device === 'wasm' ? ['q8', 'int8', 'uint8'] : [...halves, 'q4'];
    // One of several graphs may lack small precisions; transformers.js would not look for others.
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
