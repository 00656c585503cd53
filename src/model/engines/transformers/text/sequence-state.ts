/** Keys and values (or recurrent states) of sequences: what the next forward pass continues from. @module */
import { createTensor, type OnnxSession, type OnnxTensor, type OnnxValueInfo } from './onnx-session.js';
import { gatherRows } from './gather-rows.js';

/** Input names of the state, by the output that continues them. */
const INPUT_OF_OUTPUT: readonly (readonly [RegExp, string])[] = [
  [/^present_(ssm|conv|recurrent|compressor|indexer)/, 'past_$1'],
  [/^present/, 'past_key_values'],
];

/** One row of a state and how many of its tokens count: what one sequence continues from. */
export interface RowState {
  state: SequenceState;
  /** 0 to rows - 1. */
  row: number;
  /** At most the tokens that the state holds. */
  length: number;
}

/**
 * Tensors by input name. They are never written to again, so several sequences may continue from one state: each holds
 * it once (`hold`), and the last `release` frees its memory.
 */
export class SequenceState {
  readonly tensors: Readonly<Record<string, OnnxTensor>>;
  #holders = 1;

  /** Held once, by the caller. */
  constructor(tensors: Record<string, OnnxTensor>) {
    this.tensors = tensors;
  }

  /** The state before the first token. */
  static empty(session: OnnxSession): SequenceState {
    const tensors: Record<string, OnnxTensor> = {};
    for (const info of session.inputMetadata) {
      if (info.name.startsWith('past')) tensors[info.name] = emptyTensor(info);
    }
    return new SequenceState(tensors);
  }

  /** The state that a forward pass left in its outputs. */
  static after(outputs: Record<string, OnnxTensor>): SequenceState {
    const tensors: Record<string, OnnxTensor> = {};
    for (const [output, tensor] of Object.entries(outputs)) {
      const rule = INPUT_OF_OUTPUT.find(([pattern]) => pattern.test(output));
      if (rule) tensors[output.replace(rule[0], rule[1])] = tensor;
    }
    return new SequenceState(tensors);
  }

  /** A copy of some rows, one below the other, made where they are: nothing leaves the GPU or wasm memory. */
  static async gather(rows: readonly RowState[]): Promise<SequenceState> {
    const tensors: Record<string, OnnxTensor> = {};
    for (const name of Object.keys(rows[0]!.state.tensors)) {
      const parts = rows.map(({ state, row, length }) => ({ tensor: state.tensors[name]!, row, tokens: length }));
      tensors[name] = await gatherRows(parts, isKeyOrValue(name, parts[0]!.tensor));
    }
    return new SequenceState(tensors);
  }

  /** Tokens can be taken off its end: true for keys and values, not for recurrent states. */
  isCroppable(): boolean {
    return Object.entries(this.tensors).every(([name, tensor]) => isKeyOrValue(name, tensor));
  }

  /** How many sequences it has room for. */
  get rows(): number {
    return Object.values(this.tensors)[0]?.dims[0] ?? 1;
  }

  /** Most tokens of a row; 0 for states that do not grow. */
  get tokens(): number {
    const keys = Object.entries(this.tensors).find(([name, tensor]) => isKeyOrValue(name, tensor));
    return keys?.[1].dims[2] ?? 0;
  }

  get bytes(): number {
    let bytes = 0;
    for (const { type, dims } of Object.values(this.tensors))
      bytes += dims.reduce((product, dim) => product * dim, type === 'float16' ? 2 : 4);
    return bytes;
  }

  /** Of one token of one row; 0 for states that do not grow. */
  get tokenBytes(): number {
    return this.tokens === 0 ? 0 : this.bytes / this.rows / this.tokens;
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

function isKeyOrValue(name: string, tensor: OnnxTensor): boolean {
  return name.startsWith('past_key_values.') && tensor.dims.length === 4;
}

function emptyTensor(info: OnnxValueInfo): OnnxTensor {
  // One row; every other symbolic dimension is a length, and there are no tokens yet.
  const dims = info.shape.map((size) => (typeof size === 'number' ? size : size.includes('batch') ? 1 : 0));
  const size = dims.reduce((product, dim) => product * dim, 1);
  return createTensor(info.type, info.type === 'float16' ? new Uint16Array(size) : new Float32Array(size), dims);
}
