/** An ONNX graph of plain products with random weights: the same seed gives the same file. */
import { OnnxFile } from '../support/onnx-file.js';

/** A list of whole numbers, as shapes and axes are given. */
const int64 = (...values: number[]): BigInt64Array => BigInt64Array.from(values, BigInt);

export class RandomGraph extends OnnxFile {
  #state: number;
  #count = 0;

  constructor(seed: number) {
    super();
    this.#state = seed | 1;
  }

  /** A tensor with values evenly spread around 0. */
  weights(name: string, shape: readonly number[], deviation: number): string {
    const size = shape.reduce((product, dim) => product * dim, 1);
    // Uniform in ±√3 has the deviation 1.
    const values = Float32Array.from({ length: size }, () => (this.next() * 2 - 1) * Math.sqrt(3) * deviation);
    return this.constant(name, values, shape);
  }

  /** `input` times a matrix of its own. */
  product(input: string, name: string, [rows, columns]: readonly [number, number], deviation = 1): string {
    const weights = this.weights(`${name}.weight`, [rows, columns], deviation / Math.sqrt(rows));
    return this.node('MatMul', [input, weights], name);
  }

  /** An operator whose inputs and outputs are `float32`, under a name of its own. */
  op(operator: string, inputs: readonly string[], attributes: Parameters<OnnxFile['node']>[3] = {}): string {
    this.#count += 1;
    return this.node(operator, inputs, `t${this.#count}`, attributes);
  }

  /** A list of whole numbers as an input. */
  ints(...values: number[]): string {
    return this.constant(`ints.${values.join('.')}`, int64(...values));
  }

  /** One whole number, without a dimension. */
  index(value: number): string {
    return this.constant(`index.${value}`, int64(value), []);
  }

  /** One float, without a dimension. */
  number(value: number): string {
    return this.constant(`number.${value}`, Float32Array.of(value), []);
  }

  reshape(input: string, ...shape: number[]): string {
    return this.op('Reshape', [input, this.ints(...shape)]);
  }

  /** The next number from 0 to 1. */
  protected next(): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) / 2 ** 32;
  }
}
