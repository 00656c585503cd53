/** The precision of a model's weights on a device. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { Dtype } from '../../../core/models/dtype.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';

/** The file of a graph in repositories for transformers.js. */
export function graphFile(graph: string, dtype: string): string {
  return `onnx/${graph}${dtypeSuffix(dtype)}.onnx`;
}

/** The suffix of a precision in file names. */
export function dtypeSuffix(dtype: string): string {
  return dtype === 'fp32' ? '' : dtype === 'q8' ? '_quantized' : `_${dtype}`;
}

/** Files of a model's only graph as other repositories than those for transformers.js name them: LiquidAI's. */
const OTHER_NAMES: Readonly<Record<string, string>> = { 'onnx/model_quantized.onnx': 'onnx/model_q8.onnx' };

/** The same file of a graph as other repositories name it; undefined: they name it alike. */
export function otherGraphFile(file: string): string | undefined {
  return OTHER_NAMES[file];
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
  /** What the model's config says of a graph; undefined: nothing. */
  configured: (graph: string) => string | undefined;
  /** Whether the repository has a file. */
  has: (file: string) => Promise<boolean>;
  /** All files of the repository; empty when the server cannot list them. */
  listed: () => Promise<readonly string[]>;
  /** Is told of a decoder, or a model's only graph, that is not there in a precision that is fast on the device. */
  onSubstitute?: (reason: string) => void;
}

/**
 * The entry's precision. Where it says none, the best one for the device that the repository has, for each graph: 8 bits on
 * WASM; on WebGPU 4 bits for chat models and 32 for others. Undefined: none was found, and the server cannot list its
 * files.
 * @throws InferenceError `model_not_supported` when the list of files has no graph that can be used
 */
export async function chooseDtype(entry: ModelEntry, choice: DtypeChoice): Promise<Dtype | undefined> {
  const said = dtypeFor(entry, choice.device);
  if (typeof said === 'string') return said;
  const parts: Record<string, string> = {};
  for (const graph of choice.graphs) {
    const chosen = dtypeOf(said, graph) ?? (await chooseForGraph(entry, graph, choice));
    if (chosen !== undefined) parts[graph] = chosen;
  }
  const all = choice.graphs.map((graph) => parts[graph]);
  return all.every((each) => each === all[0]) ? all[0] : parts;
}

async function chooseForGraph(entry: ModelEntry, graph: string, choice: DtypeChoice): Promise<string | undefined> {
  const { device, graphs, configured, has, listed, onSubstitute } = choice;
  const isMain = graphs.length === 1 || graph.startsWith('decoder_');
  const { best, others } = precisionsFor(entry.task, choice, isMain);
  const own = entry.task === 'chat' ? undefined : configured(graph);
  const preferred = own === undefined || own === 'auto' ? best : [own, ...best];
  const chosen = await findFirst([...preferred, ...others], (each) => has(graphFile(graph, each)));
  if (chosen === undefined) {
    const files = await listed();
    if (files.length === 0) return undefined;
    const graphFiles = files.filter((file) => file.endsWith('.onnx'));
    throw new InferenceError(
      'model_not_supported',
      `The model \`${entry.id}\` has no version of its graph \`${graph}\` that this device can run, such as \`${graphFile(graph, preferred[0]!)}\`. Its repository has: ${graphFiles.join(', ') || 'no graphs for ONNX Runtime'}.`,
      { param: 'model' },
    );
  }
  if (isMain && !preferred.includes(chosen)) {
    const names = preferred.map((each) => `\`${each}\``).join(' or ');
    onSubstitute?.(
      `its repository has no ${names} weights, which are best for ${device}, so Inpage uses \`${chosen}\`.`,
    );
  }
  return chosen;
}

/** Precisions in the order in which they are looked for; the others run, but slowly or in much memory. */
function precisionsFor(
  task: ModelEntry['task'],
  { device, halfFloats, graphs }: DtypeChoice,
  isMain: boolean,
): { best: string[]; others: string[] } {
  const halves = (dtype: string): string[] => (halfFloats ? [dtype] : []);
  const bytes = ['q8', 'int8', 'uint8'];
  if (device === 'wasm') {
    // The weights of a language model in 32 bits are more than WASM can address, or nearly.
    const slow = task === 'chat' && isMain ? ['q4', 'fp32', 'fp16'] : ['fp32', 'fp16', 'q4'];
    return { best: bytes, others: [...slow, 'bnb4', 'q4f16', 'q2', 'q2f16', 'q1', 'q1f16'] };
  }
  const whole = [...halves('fp16'), 'fp32'];
  if (task !== 'chat') return { best: ['fp32'], others: [...halves('fp16'), ...halves('q4f16'), 'q4', ...bytes] };
  // One of several graphs may lack small precisions.
  const best = [...halves('q4f16'), 'q4', ...(graphs.length > 1 && !isMain ? whole : [])];
  return { best, others: [...whole, ...bytes, 'bnb4', ...halves('q2f16'), 'q2', ...halves('q1f16'), 'q1'] };
}

async function findFirst(
  all: readonly string[],
  holds: (each: string) => Promise<boolean>,
): Promise<string | undefined> {
  for (const each of all) if (await holds(each)) return each;
  return undefined;
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}
