/** An ONNX graph that is put together node by node, and its file. */
import { bytes, float, integer, type ProtobufMessage } from '../../src/engines/transformers/onnx-file/protobuf.js';

/** Element types by ONNX's numbers. */
export const FLOAT = 1;
const INT8 = 3;
export const INT32 = 6;
export const BOOL = 9;
export const FLOAT16 = 10;
export const INT64 = 7;

const TYPES = new Map<unknown, number>([
  [Float32Array, FLOAT],
  [Uint8Array, 2],
  [Int8Array, INT8],
  // Bits of halves, which not every Node has a type for.
  [Uint16Array, FLOAT16],
  [Int32Array, INT32],
  [BigInt64Array, INT64],
]);

type Values = Float32Array | Uint8Array | Int8Array | Uint16Array | Int32Array | BigInt64Array;

/** Numbers with a fraction are floats, lists are whole numbers. */
export type Attributes = Record<string, number | readonly number[] | { float: number } | { graph: OnnxFile }>;

/** A dimension is a number or a name. */
export type Shape = readonly (number | string)[];

export class OnnxFile {
  readonly #nodes: ProtobufMessage[] = [];
  readonly #constants: ProtobufMessage[] = [];
  readonly #inputs: ProtobufMessage[] = [];
  readonly #outputs: ProtobufMessage[] = [];
  readonly #values: ProtobufMessage[] = [];
  readonly #names = new Set<string>();

  /** A tensor of the file. Returns its name; a name that is there already is left as it is. */
  constant(name: string, values: Values, shape: readonly number[] = [values.length]): string {
    if (this.#names.has(name)) return name;
    this.#names.add(name);
    const data = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    this.#constants.push([
      ...shape.flatMap((size) => integer(1, size)),
      ...integer(2, TYPES.get(values.constructor)!),
      ...bytes(8, name),
      ...bytes(9, [data]),
    ]);
    return name;
  }

  /** A tensor whose bytes stand alone in another file, beside this one. Returns its name. */
  external(name: string, type: number, shape: readonly number[], file: string): string {
    const [DATA_ELSEWHERE, LOCATION] = [1, [...bytes(1, 'location'), ...bytes(2, file)]];
    this.#constants.push([
      ...shape.flatMap((size) => integer(1, size)),
      ...integer(2, type),
      ...bytes(8, name),
      ...bytes(13, LOCATION),
      ...integer(14, DATA_ELSEWHERE),
    ]);
    return name;
  }

  /** Adds an operator; `domain` absent: ONNX's own. Returns its first output. */
  node(
    operator: string,
    inputs: readonly string[],
    outputs: string | readonly string[],
    attributes: Attributes = {},
    domain = '',
  ): string {
    const names = typeof outputs === 'string' ? [outputs] : outputs;
    this.#nodes.push([
      ...inputs.flatMap((name) => bytes(1, name)),
      ...names.flatMap((name) => bytes(2, name)),
      ...bytes(3, `n${this.#nodes.length}`),
      ...bytes(4, operator),
      ...Object.entries(attributes).flatMap(([name, value]) => bytes(5, attribute(name, value))),
      ...bytes(7, domain),
    ]);
    return names[0]!;
  }

  input(name: string, type: number, shape: Shape): void {
    this.#inputs.push(valueInfo(name, type, shape));
  }

  output(name: string, type: number, shape: Shape): void {
    this.#outputs.push(valueInfo(name, type, shape));
  }

  /** Describes a value inside, as some writers of ONNX files do. */
  describe(name: string, type: number, shape: Shape): void {
    this.#values.push(valueInfo(name, type, shape));
  }

  /** The graph alone, as a branch of another has it. */
  toGraph(): ProtobufMessage {
    return [
      ...this.#nodes.flatMap((node) => bytes(1, node)),
      ...bytes(2, 'random'),
      ...this.#constants.flatMap((constant) => bytes(5, constant)),
      ...this.#inputs.flatMap((input) => bytes(11, input)),
      ...this.#outputs.flatMap((output) => bytes(12, output)),
      ...this.#values.flatMap((value) => bytes(13, value)),
    ];
  }

  /** The file, in pieces. @param versions of the operators that may be used, by domain */
  toMessage(versions: Readonly<Record<string, number>> = { '': 18, 'com.microsoft': 1 }): ProtobufMessage {
    const opset = ([domain, version]: [string, number]): ProtobufMessage =>
      bytes(8, [...bytes(1, domain), ...integer(2, version)]);
    return [...integer(1, 9), ...bytes(7, this.toGraph()), ...Object.entries(versions).flatMap(opset)];
  }
}

/** The pieces of a file in one. */
export function wholeFile(pieces: ProtobufMessage): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function attribute(name: string, value: Attributes[string]): ProtobufMessage {
  const [FLOAT_ATTRIBUTE, INT_ATTRIBUTE, GRAPH_ATTRIBUTE, INTS_ATTRIBUTE] = [1, 2, 5, 7];
  if (typeof value === 'number') return [...bytes(1, name), ...integer(3, value), ...integer(20, INT_ATTRIBUTE)];
  if ('float' in value) return [...bytes(1, name), ...float(2, value.float), ...integer(20, FLOAT_ATTRIBUTE)];
  if ('graph' in value) return [...bytes(1, name), ...bytes(6, value.graph.toGraph()), ...integer(20, GRAPH_ATTRIBUTE)];
  return [...bytes(1, name), ...value.flatMap((item) => integer(8, item)), ...integer(20, INTS_ATTRIBUTE)];
}

function valueInfo(name: string, type: number, shape: Shape): ProtobufMessage {
  const dimensions = shape.flatMap((size) => bytes(1, typeof size === 'number' ? integer(1, size) : bytes(2, size)));
  return [...bytes(1, name), ...bytes(2, bytes(1, [...integer(1, type), ...bytes(2, dimensions)]))];
}
