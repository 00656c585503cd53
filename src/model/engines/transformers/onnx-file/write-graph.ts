/** Writes operators and constants into the graph of an ONNX file. @module */
import {
  bytes,
  type Edit,
  type Field,
  fieldsOf,
  integer,
  lastField,
  lengthPrefix,
  type Message,
  sizeOf,
  spliceBytes,
  textOf,
} from './protobuf.js';
import { type OnnxGraph, readGraph } from './read-graph.js';

/** Field numbers of ONNX's messages. */
export const GRAPH = { node: 1, weight: 5, input: 11, output: 12, value: 13 };
export const NODE = { input: 1, output: 2, operator: 4, attribute: 5, domain: 7 };
const MODEL = { graph: 7 };
const TENSOR = { dimension: 1, type: 2, name: 8, data: 9 };
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

/** Larger weights are set aside while a graph is changed, in bytes, so that they are copied once, however many plans there are. */
const LARGE = 1024;

/**
 * The file with the edits of plans, each of which is given what the one before has made; the unchanged file where there are
 * none, or it is damaged.
 * @param file of a model; must not be used afterwards
 */
export function rewriteGraph(file: Uint8Array<ArrayBuffer>, plans: readonly GraphPlan[]): Uint8Array<ArrayBuffer> {
  try {
    const { rest, weights } = withoutWeights(file);
    const changed = plans.reduce((before, plan) => {
      const graph = readGraph(before);
      const edits = graph && plan(graph, before);
      return edits ? spliceBytes(before, edits) : before;
    }, rest);
    if (changed === rest) return file;
    const whole = withWeights(changed, weights);
    const { buffer } = file;
    // Frees the old file at once (Chrome 114, Firefox 122, Safari 17.4).
    if (file.byteLength === buffer.byteLength && typeof buffer.transfer === 'function') buffer.transfer(0);
    return whole;
  } catch (error) {
    // The engine reports damaged files.
    if (error instanceof RangeError) return file;
    throw error;
  }
}

/** Large weights by name, each as its field in the file. */
type Weights = ReadonlyMap<string, Uint8Array>;

/** The file with large weights that have a name and dimensions only. @throws RangeError when it is damaged */
function withoutWeights(file: Uint8Array<ArrayBuffer>): { rest: Uint8Array<ArrayBuffer>; weights: Weights } {
  const weights = new Map<string, Uint8Array>();
  const graph = lastField(file, 0, file.length, MODEL.graph);
  const edits: Edit[] = [];
  for (const field of graph ? fieldsOf(file, graph.start, graph.end) : []) {
    if (field.number !== GRAPH.weight || field.end - field.start < LARGE) continue;
    const parts = [...fieldsOf(file, field.start, field.end)];
    const name = textOf(
      file,
      parts.findLast(({ number }) => number === TENSOR.name),
    );
    if (weights.has(name)) throw new RangeError('Two weights have the same name.');
    weights.set(name, file.subarray(field.from, field.end));
    const kept = parts.filter(({ number }) => number === TENSOR.dimension || number === TENSOR.name);
    edits.push(
      replaced(
        field,
        bytes(
          GRAPH.weight,
          kept.map(({ from, end }) => file.subarray(from, end)),
        ),
      ),
    );
  }
  return { rest: graph ? spliceBytes(file, graphEdits(graph, edits, [])) : file, weights };
}

function withWeights(file: Uint8Array<ArrayBuffer>, weights: Weights): Uint8Array<ArrayBuffer> {
  const graph = lastField(file, 0, file.length, MODEL.graph)!;
  const edits: Edit[] = [];
  for (const field of fieldsOf(file, graph.start, graph.end)) {
    if (field.number !== GRAPH.weight) continue;
    const whole = weights.get(textOf(file, lastField(file, field.start, field.end, TENSOR.name)));
    if (whole) edits.push(replaced(field, [whole]));
  }
  return spliceBytes(file, graphEdits(graph, edits, []));
}

interface NewNode {
  operator: string;
  /** Names; `''` for an omitted input. */
  inputs: readonly string[];
  output: string;
  /** Absent: ONNX's own. */
  domain?: string;
  /** Whole numbers, or lists of them. */
  attributes?: Readonly<Record<string, number | readonly number[]>>;
}

/** An operator with one output. */
export function node({ operator, inputs, output, domain, attributes = {} }: NewNode): Message {
  return bytes(GRAPH.node, [
    ...inputs.flatMap((name) => bytes(NODE.input, name)),
    ...bytes(NODE.output, output),
    ...bytes(NODE.operator, operator),
    ...Object.entries(attributes).flatMap(([name, value]) => bytes(NODE.attribute, attribute(name, value))),
    ...(domain === undefined ? [] : bytes(NODE.domain, domain)),
  ]);
}

function attribute(name: string, value: number | readonly number[]): Message {
  const numbers = typeof value === 'number' ? integer(ATTRIBUTE.number, value) : value.flatMap(listed);
  return [
    ...bytes(ATTRIBUTE.name, name),
    ...numbers,
    ...integer(ATTRIBUTE.type, typeof value === 'number' ? INT : INTS),
  ];
}

const listed = (value: number): Message => integer(ATTRIBUTE.numbers, value);

/** A constant. @param shape absent: a list */
export function constant(
  name: string,
  values: Float32Array | Uint8Array | BigInt64Array,
  shape: readonly number[] = [values.length],
): Message {
  return bytes(GRAPH.weight, [
    ...shape.flatMap((size) => integer(TENSOR.dimension, size)),
    ...integer(TENSOR.type, TYPES.get(values.constructor)!),
    ...bytes(TENSOR.name, name),
    ...bytes(TENSOR.data, [new Uint8Array(values.buffer, values.byteOffset, values.byteLength)]),
  ]);
}

/** Replaces a field. */
export const replaced = ({ from, end }: Field, pieces: Message): Edit => ({ from, to: end, pieces });

/**
 * The edits of a graph in the order of their places, with that of the graph's length.
 * @param edits inside the graph, which may be in any order
 * @param added put at its end
 */
export function graphEdits({ from, start, end }: Field, edits: readonly Edit[], added: Message): Edit[] {
  const all = [...edits, { from: end, to: end, pieces: added }];
  const grown = all.reduce((sum, edit) => sum + sizeOf(edit.pieces) - (edit.to - edit.from), 0);
  const length = lengthPrefix(MODEL.graph, end - start + grown);
  return [{ from, to: start, pieces: length }, ...all.toSorted((a, b) => a.from - b.from)];
}
