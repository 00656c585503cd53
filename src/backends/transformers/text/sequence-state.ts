/** Keys and values (or recurrent states) of a sequence: what the next forward pass continues from. @module */
import {
  createTensor,
  type OnnxSession,
  type OnnxTensor,
  type OnnxValueInfo,
  type TensorData,
} from './onnx-session.js';

/** Input names of the state, by the output that continues them. */
const INPUT_OF_OUTPUT: readonly (readonly [RegExp, string])[] = [
  [/^present_(ssm|conv|recurrent|compressor|indexer)/, 'past_$1'],
  [/^present/, 'past_key_values'],
];

/** Tensors by input name. Owns them: `dispose` frees GPU memory. */
export class SequenceState {
  readonly tensors: Readonly<Record<string, OnnxTensor>>;

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

  /** Tokens can be taken off its end: true for keys and values, not for recurrent states. */
  isCroppable(): boolean {
    return Object.entries(this.tensors).every(
      ([name, tensor]) => name.startsWith('past_key_values.') && tensor.dims.length === 4,
    );
  }

  /** A copy with the first `length` tokens. */
  async crop(length: number): Promise<SequenceState> {
    return this.#map((data, dims) => {
      const [rows = 1, heads = 1, tokens = 0, width = 0] = dims;
      const cropped = newLike(data, rows * heads * length * width);
      for (let block = 0; block < rows * heads; block++) {
        const from = block * tokens * width;
        cropped.set(data.subarray(from, from + length * width) as never, block * length * width);
      }
      return [cropped, [rows, heads, length, width]];
    });
  }

  /** A copy with the one row repeated. */
  async repeat(rows: number): Promise<SequenceState> {
    return this.#map((data, dims) => {
      const repeated = newLike(data, data.length * rows);
      for (let row = 0; row < rows; row++) repeated.set(data as never, row * data.length);
      return [repeated, [rows, ...dims.slice(1)]];
    });
  }

  dispose(): void {
    for (const tensor of Object.values(this.tensors)) tensor.dispose();
  }

  async #map(change: (data: TensorData, dims: readonly number[]) => [TensorData, number[]]): Promise<SequenceState> {
    const tensors: Record<string, OnnxTensor> = {};
    for (const [name, tensor] of Object.entries(this.tensors)) {
      const [data, dims] = change(await tensor.getData(), tensor.dims);
      tensors[name] = createTensor(tensor.type, data, dims);
    }
    return new SequenceState(tensors);
  }
}

function emptyTensor(info: OnnxValueInfo): OnnxTensor {
  // One row; every other symbolic dimension is a length, and there are no tokens yet.
  const dims = info.shape.map((size) => (typeof size === 'number' ? size : size.includes('batch') ? 1 : 0));
  const size = dims.reduce((product, dim) => product * dim, 1);
  return createTensor(info.type, info.type === 'float16' ? new Uint16Array(size) : new Float32Array(size), dims);
}

function newLike(data: TensorData, length: number): TensorData {
  return new (data.constructor as new (length: number) => TensorData)(length);
}
