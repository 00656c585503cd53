/**
 * The state of sequences between forward passes: KV cache, or recurrent states. Rows are copied into new batches here.
 * @module
 */
import { env } from '@huggingface/transformers';
import {
  type ByteCopy,
  createGpuTensor,
  createTensor,
  type OnnxSession,
  type OnnxTensor,
  type OnnxValueInfo,
  toBytes,
} from '../ort/onnx-session.js';
import { WasmTensor } from '../ort/wasm-session.js';

/** Names of the state's inputs, by the output that gives their next value. */
const INPUT_OF_OUTPUT: readonly (readonly [RegExp, string])[] = [
  [/^present_(ssm|conv|recurrent|compressor|indexer)/, 'past_$1'],
  [/^present/, 'past_key_values'],
];

/** The state of one sequence: a row, and how many of its tokens are valid. */
export interface RowState {
  state: SequenceState;
  /** 0 to rows - 1. */
  row: number;
  /** Tokens; at most those of the state. */
  length: number;
}

/**
 * Tensors by input name. Several sequences may continue from one state. Each of them holds it once (`hold`), and the last
 * `release` frees its memory. Whoever alone holds a state may write behind the tokens of its rows (`isWritable`); what is
 * shared never changes.
 */
export class SequenceState {
  readonly tensors: Readonly<Record<string, OnnxTensor>>;
  /** Number of sequences. */
  readonly rows: number;
  #holders = 1;
  /** Found out when it is first asked for: a state that is written in place lives for many passes, with one shape. */
  #shape: StateShape | undefined;

  /** Held once, by the caller. */
  constructor(tensors: Record<string, OnnxTensor>, rows = Object.values(tensors)[0]?.dims[0] ?? 1) {
    this.tensors = tensors;
    this.rows = rows;
  }

  /**
   * The state before the first token.
   * @param rows sequences
   * @param heads of the model, for graphs that have rows and heads in one dimension
   */
  static empty(session: Pick<OnnxSession, 'inputMetadata'>, rows = 1, heads = 1): SequenceState {
    const tensors: Record<string, OnnxTensor> = {};
    for (const info of session.inputMetadata) {
      if (isState(info.name)) tensors[info.name] = emptyTensor(info, rows, heads);
    }
    return new SequenceState(tensors, rows);
  }

  /** The state in the outputs of a forward pass. */
  static after(outputs: Record<string, OnnxTensor>, rows: number): SequenceState {
    const tensors: Record<string, OnnxTensor> = {};
    for (const [output, tensor] of Object.entries(outputs)) {
      const input = inputOfOutput(output);
      if (input !== undefined) tensors[input] = tensor;
    }
    return new SequenceState(tensors, rows);
  }

  /**
   * Copies rows into a new state, inside GPU or wasm memory.
   * @param room for so many tokens of each row. @default the tokens of the longest
   */
  static async gather(rows: readonly RowState[], room = 0): Promise<SequenceState> {
    const tensors: Record<string, OnnxTensor> = {};
    for (const name of Object.keys(rows[0]!.state.tensors)) {
      const parts = rows.map(({ state, row, length }) => {
        const tensor = state.tensors[name]!;
        return { tensor, rows: state.rows, row, tokens: Math.min(length, tensor.dims[2] ?? 0) };
      });
      tensors[name] = await gatherRows(parts, isKeyOrValue(name, parts[0]!.tensor.dims), room);
    }
    return new SequenceState(tensors, rows.length);
  }

  /**
   * Whether tokens can be removed from its end: true for a KV cache of all tokens, false for recurrent states and for caches
   * of a window, which have forgotten what would be in it then.
   * @param length tokens that were read
   */
  isCroppable(length: number): boolean {
    return this.#known.least >= length;
  }

  /** It is nothing but keys and values, in wasm memory, so that a run may write the next ones behind them. */
  get canBeWritten(): boolean {
    return this.#known.canBeWritten;
  }

  /** Whether only these rows hold it, and it has room for so many more tokens in each. */
  isWritable(rows: number, room: number): boolean {
    return this.#holders === rows && this.tokens >= room && this.canBeWritten;
  }

  /** Tokens that the longest row has, or has room for; 0 for states that do not grow. */
  get tokens(): number {
    return this.#known.tokens;
  }

  get #known(): StateShape {
    return (this.#shape ??= shapeOf(this.tensors));
  }

  get bytes(): number {
    let bytes = 0;
    for (const { type, dims } of Object.values(this.tensors)) bytes += byteSize(type, dims);
    return bytes;
  }

  /** Bytes of one token of one row; 0 for states that do not grow. */
  get tokenBytes(): number {
    let bytes = 0;
    for (const [name, { type, dims }] of Object.entries(this.tensors))
      if (isKeyOrValue(name, dims)) bytes += byteSize(type, [dims[1]!, dims[3]!]);
    return bytes;
  }

  hold(): this {
    this.#holders += 1;
    return this;
  }

  release(): void {
    this.#holders -= 1;
    if (this.#holders === 0) for (const tensor of Object.values(this.tensors)) tensor.dispose();
  }
}

interface StateShape {
  canBeWritten: boolean;
  /** Tokens of the longest keys or values. */
  tokens: number;
  /** Tokens of the shortest; -1 where there is anything but keys and values. */
  least: number;
}

function shapeOf(tensors: SequenceState['tensors']): StateShape {
  const all = Object.entries(tensors);
  const keysAndValues = all.filter(([name, tensor]) => isKeyOrValue(name, tensor.dims)).map(([, tensor]) => tensor);
  const isPlain = keysAndValues.length === all.length;
  const lengths = keysAndValues.map(({ dims }) => dims[2]!);
  return {
    canBeWritten: isPlain && keysAndValues.every((tensor) => tensor instanceof WasmTensor),
    tokens: Math.max(0, ...lengths),
    least: isPlain ? Math.min(...lengths) : -1,
  };
}

/** The input that takes the next value of a state, by the output that gives it; undefined: the output is not a state. */
export function inputOfOutput(output: string): string | undefined {
  const rule = INPUT_OF_OUTPUT.find(([pattern]) => pattern.test(output));
  return rule && output.replace(rule[0], rule[1]);
}

/** Whether an input is a state. */
export function isState(input: string): boolean {
  return input.startsWith('past');
}

/** Keys and values of every token, `[rows, heads, tokens, width]`. */
export function isKeyOrValue(input: string, { length }: readonly unknown[]): boolean {
  return /^past_key_values\.\d+\.(key|value)$/.test(input) && length === 4;
}

function emptyTensor(info: OnnxValueInfo, rows: number, heads: number): OnnxTensor {
  // Every symbolic dimension but that of the rows, the first, is a length, and there are no tokens yet.
  const dims = info.shape.map((size, index) => {
    if (typeof size === 'number') return size;
    return index === 0 || size.includes('batch') ? rows * (size.includes('head') ? heads : 1) : 0;
  });
  const size = dims.reduce((product, dim) => product * dim, 1);
  return createTensor(info.type, info.type === 'float16' ? new Uint16Array(size) : new Float32Array(size), dims);
}

/** One row of a tensor, and how many of its tokens are copied. */
interface RowPart {
  tensor: OnnxTensor;
  /** Of the tensor: its first dimension is a multiple of it. */
  rows: number;
  row: number;
  tokens: number;
}

/**
 * One tensor with a row for each part. Rows of a KV cache are as long as the longest part, or the room; the rest of a shorter
 * one is undefined.
 * @param hasTokens keys and values, `[rows, heads, tokens, width]`; else whole rows of a state of any shape
 */
async function gatherRows(parts: readonly RowPart[], hasTokens: boolean, room: number): Promise<OnnxTensor> {
  const [{ tensor, rows }] = parts as [RowPart];
  const dims = [(parts.length * tensor.dims[0]!) / rows, ...tensor.dims.slice(1)];
  if (hasTokens) dims[2] = Math.max(room, ...parts.map(({ tokens }) => tokens));
  const copies = planCopies(parts, dims, hasTokens);
  if (tensor instanceof WasmTensor) return tensor.gather(dims, copies);
  if (tensor.location === 'gpu-buffer') return gatherOnGpu(tensor.type, dims, copies);
  return gatherInJavaScript(tensor, dims, copies);
}

/** Bytes of a tensor of 32-bit or 16-bit floats. */
function byteSize(type: string, dims: readonly number[]): number {
  return dims.reduce((product, dim) => product * dim, type === 'float16' ? 2 : 4);
}

function planCopies(parts: readonly RowPart[], dims: readonly number[], hasTokens: boolean): ByteCopy[] {
  const { type } = parts[0]!.tensor;
  if (!hasTokens) {
    const size = byteSize(type, dims) / parts.length;
    return parts.map((part, index) => ({ tensor: part.tensor, from: part.row * size, to: index * size, size }));
  }
  const [, heads = 1, most = 0, width = 0] = dims;
  const token = byteSize(type, [width]);
  return parts.flatMap((part, index) =>
    Array.from({ length: heads }, (_, head) => ({
      tensor: part.tensor,
      from: (part.row * heads + head) * part.tensor.dims[2]! * token,
      to: (index * heads + head) * most * token,
      size: part.tokens * token,
    })),
  );
}

async function gatherOnGpu(type: string, dims: readonly number[], copies: readonly ByteCopy[]): Promise<OnnxTensor> {
  const device = await env.backends.onnx.webgpu!.device;
  const buffer = device.createBuffer({
    size: Math.ceil(byteSize(type, dims) / 16) * 16,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
  });
  const encoder = device.createCommandEncoder();
  for (const { tensor, from, to, size } of copies)
    if (size > 0) encoder.copyBufferToBuffer(tensor.gpuBuffer, from, buffer, to, size);
  device.queue.submit([encoder.finish()]);
  return createGpuTensor(type, buffer, dims);
}

async function gatherInJavaScript(
  { type }: OnnxTensor,
  dims: readonly number[],
  copies: readonly ByteCopy[],
): Promise<OnnxTensor> {
  const size = byteSize(type, dims);
  const bytes = new Uint8Array(size);
  const sources = new Map<OnnxTensor, Uint8Array>();
  for (const { tensor: source, from, to, size: count } of copies) {
    if (!sources.has(source)) sources.set(source, toBytes(await source.getData()));
    bytes.set(sources.get(source)!.subarray(from, from + count), to);
  }
  const data = type === 'float16' ? new Uint16Array(bytes.buffer) : new Float32Array(bytes.buffer);
  return createTensor(type, data, dims);
}

/** Attention heads of a model. @param config as the library made it of `config.json` */
export function headsOf(config: Readonly<Record<string, unknown>>): number | undefined {
  return (config['normalized_config'] as { num_heads?: number } | undefined)?.num_heads;
}
