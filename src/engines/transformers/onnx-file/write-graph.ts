/** Writes operators and constants into the graph of an ONNX file. @module */
import { bytes, type Edit, integer, type ProtobufMessage, spliceBytes } from './protobuf.js';
import { type OnnxGraph, readGraph } from './read-graph.js';
import { GRAPH, TENSOR } from './graph-edits.js';
import { withoutWeights, withWeights } from './set-weights-aside.js';

/** Field numbers of ONNX's messages. */
export const NODE = { input: 1, output: 2, operator: 4, attribute: 5, domain: 7 };
const ATTRIBUTE = { name: 1, number: 3, numbers: 8, type: 20 };

/** Types of attributes. */
const [INT, INTS] = [2, 7];

/** Types of elements. */
export const INT64 = 7;
const TYPES = new Map<unknown, number>([
  [Float32Array, 1],
  [Uint8Array, 2],
  [BigInt64Array, INT64],
]);

/**
 * What is changed in a graph; undefined: nothing.
 * @param file that the graph was read from, without its large weights
 */
export type GraphPlan = (graph: OnnxGraph, file: Uint8Array) => Edit[] | undefined;

/**
 * The file with the edits of plans, each of which is given what the one before has made; the unchanged file where there are
 * none, or it is damaged.
 * @param file of a model; must not be used afterwards
 */
export function rewriteGraph(file: Uint8Array<ArrayBuffer>, plans: readonly GraphPlan[]): Uint8Array<ArrayBuffer> {
  try {
    const { rest, aside } = withoutWeights(file);
    const changed = plans.reduce((before, plan) => {
      const graph = readGraph(before);
      const edits = graph && plan(graph, before);
      return edits ? spliceBytes(before, edits) : before;
    }, rest);
    return changed === rest ? file : withWeights(changed, file, aside);
  } catch (error) {
    // The engine reports damaged files.
    if (error instanceof RangeError) return file;
    throw error;
  }
}

interface NewNode {
  operator: string;
  /** Names; `''` for an omitted input. */
  inputs: readonly string[];
  output: string;
  /** Undefined: ONNX's own. */
  domain?: string;
  /** Whole numbers, or lists of them. */
  attributes?: Readonly<Record<string, number | readonly number[]>>;
}

/** An operator with one output. */
export function node({ operator, inputs, output, domain, attributes = {} }: NewNode): ProtobufMessage {
  return bytes(GRAPH.node, [
    ...inputs.flatMap((name) => bytes(NODE.input, name)),
    ...bytes(NODE.output, output),
    ...bytes(NODE.operator, operator),
    ...Object.entries(attributes).flatMap(([name, value]) => bytes(NODE.attribute, attribute(name, value))),
    ...(domain === undefined ? [] : bytes(NODE.domain, domain)),
  ]);
}

function attribute(name: string, value: number | readonly number[]): ProtobufMessage {
  const numbers = typeof value === 'number' ? integer(ATTRIBUTE.number, value) : value.flatMap(listed);
  return [
    ...bytes(ATTRIBUTE.name, name),
    ...numbers,
    ...integer(ATTRIBUTE.type, typeof value === 'number' ? INT : INTS),
  ];
}

const listed = (value: number): ProtobufMessage => integer(ATTRIBUTE.numbers, value);

/** A constant. @param shape absent: a list */
export function constant(
  name: string,
  values: Float32Array | Uint8Array | BigInt64Array,
  shape: readonly number[] = [values.length],
): ProtobufMessage {
  return bytes(GRAPH.weight, [
    ...shape.flatMap((size) => integer(TENSOR.dimension, size)),
    ...integer(TENSOR.type, TYPES.get(values.constructor)!),
    ...bytes(TENSOR.name, name),
    ...bytes(TENSOR.data, [new Uint8Array(values.buffer, values.byteOffset, values.byteLength)]),
  ]);
}
