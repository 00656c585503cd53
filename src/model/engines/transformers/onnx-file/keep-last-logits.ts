/**
 * Adds an input to a decoder's graph that limits the logits to the last tokens. Most graphs compute those of every token: of
 * a prefill block nearly all are unused, and the product with the vocabulary is a large part of a small model's time.
 * @module
 */
import { findLastProduct, type LastProduct } from './find-last-product.js';
import {
  bytes,
  type Edit,
  type Field,
  fieldsOf,
  integer,
  lengthPrefix,
  type Message,
  sizeOf,
  spliceBytes,
} from './protobuf.js';
import { type GraphNode, type OnnxGraph, readGraph } from './read-graph.js';

/** The name of this input in graphs that have one: number of tokens at the end of each sequence; 0: all. */
const INPUT = 'num_logits_to_keep';
const LOGITS = 'logits';

/** From these versions on, the operators below have the form that is used here, and weights need not be inputs. */
const MIN_OPERATOR_VERSION = 13;
const MIN_FORMAT_VERSION = 4;

/** Prefix of the names of added values. */
const OWN = 'inpage/last_logits/';
const INT64 = 7;
const END = 2 ** 31 - 1;

/** Field numbers of ONNX's messages. */
const GRAPH = { node: 1, weight: 5, input: 11, output: 12, value: 13 };
const NODE = { input: 1, output: 2, operator: 4 };
const TENSOR = { dimension: 1, type: 2, numbers: 7, name: 8 };
const VALUE = { name: 1, type: 2 };
const TYPE = { tensor: 1 };
const TENSOR_TYPE = { element: 1, shape: 2 };
const SHAPE = { dimension: 1 };
const DIMENSION = { value: 1, name: 2 };
const MODEL = { graph: 7 };

/**
 * The same graph with an input `num_logits_to_keep`; the unchanged file when it has one, or when anything is unknown. The
 * logits that are left are computed from the same numbers as before.
 * @param file of a model; must not be used afterwards
 */
export function keepLastLogits(file: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const edits = planEdits(file);
  return edits ? spliceBytes(file, edits) : file;
}

function planEdits(file: Uint8Array): Edit[] | undefined {
  try {
    const graph = readGraph(file);
    const product = graph && canBeAsked(graph) ? findLastProduct(graph, LOGITS) : undefined;
    return graph && product && editsOf(file, graph, product);
  } catch (error) {
    // The engine reports damaged files.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function canBeAsked({ inputs, nodes, weightRanks, operatorVersion, formatVersion }: OnnxGraph): boolean {
  const isNew = operatorVersion >= MIN_OPERATOR_VERSION && formatVersion >= MIN_FORMAT_VERSION;
  const names = [...inputs.map(({ name }) => name), ...weightRanks.keys(), ...nodes.flatMap(({ outputs }) => outputs)];
  const isTaken = names.some((name) => name === INPUT || name.startsWith(OWN));
  return isNew && !isTaken && nodes.every(({ hasGraphs }) => !hasGraphs);
}

function editsOf(file: Uint8Array, { field, outputs, values }: OnnxGraph, product: LastProduct): Edit[] | undefined {
  const edits: Edit[] = [replaced(product.node.field, productOfLast(file, product.node))];
  const logits = outputs.find(({ name }) => name === LOGITS);
  const described = values.filter(({ name }) => product.values.includes(name));
  if (!logits) return undefined;
  for (const value of [logits, ...described]) {
    const pieces = withKeptTokens(file, value.field, value === logits ? GRAPH.output : GRAPH.value);
    if (!pieces) return undefined;
    edits.push(replaced(value.field, pieces));
  }
  const added = [...constant('one', 1), ...constant('end', END), ...newInput()];
  edits.push({ from: field.end, to: field.end, pieces: added });
  const grown = edits.reduce((sum, { from, to, pieces }) => sum + sizeOf(pieces) - (to - from), 0);
  const size = field.end - field.start + grown;
  edits.push({ from: field.from, to: field.start, pieces: lengthPrefix(MODEL.graph, size) });
  return edits.toSorted((a, b) => a.from - b.from);
}

const replaced = ({ from, end }: Field, pieces: Message): Edit => ({ from, to: end, pieces });

/** The product, preceded by operators that take the vectors of the last tokens. */
function productOfLast(file: Uint8Array, { field, inputs, firstInput }: GraphNode): Message {
  const last = `${OWN}vectors`;
  const [before, after] = [file.slice(field.start, firstInput!.from), file.slice(firstInput!.end, field.end)];
  return [
    ...node('Neg', [INPUT], 'negative'),
    ...node('Reshape', [`${OWN}negative`, `${OWN}one`], 'start'),
    ...node('Slice', [inputs[0]!, `${OWN}start`, `${OWN}end`, `${OWN}one`], 'vectors'),
    ...bytes(GRAPH.node, [before, ...bytes(NODE.input, last), after]),
  ];
}

function node(operator: string, inputs: readonly string[], output: string): Message {
  return bytes(GRAPH.node, [
    ...inputs.flatMap((name) => bytes(NODE.input, name)),
    ...bytes(NODE.output, OWN + output),
    ...bytes(NODE.operator, operator),
  ]);
}

/** A constant: a list of one whole number. */
function constant(name: string, value: number): Message {
  return bytes(GRAPH.weight, [
    ...integer(TENSOR.dimension, 1),
    ...integer(TENSOR.type, INT64),
    ...integer(TENSOR.numbers, value),
    ...bytes(TENSOR.name, OWN + name),
  ]);
}

/** The new input: a scalar. */
function newInput(): Message {
  const type = [...integer(TENSOR_TYPE.element, INT64), ...bytes(TENSOR_TYPE.shape, [])];
  return bytes(GRAPH.input, [...bytes(VALUE.name, INPUT), ...bytes(VALUE.type, bytes(TYPE.tensor, type))]);
}

/** Path of fields from a named value to the shape of its tensor. */
const TO_SHAPE = [VALUE.type, TYPE.tensor, TENSOR_TYPE.shape];

/**
 * The description of a value with a new name for the second of its three dimensions, which is no longer the number of
 * tokens.
 * @param field the description in the file, of this field number
 * @param path to the shape in it
 * @returns undefined when it has other dimensions
 */
function withKeptTokens(file: Uint8Array, field: Field, number: number, path = TO_SHAPE): Message | undefined {
  const [next, ...rest] = path;
  const parts = fieldsIn(file, field, next ?? SHAPE.dimension);
  const inner = next === undefined ? parts[1] : parts[0];
  if (!inner || parts.length !== (next === undefined ? 3 : 1)) return undefined;
  const isFixed = next === undefined && fieldsIn(file, inner, DIMENSION.value).length > 0;
  const changed =
    next === undefined ? bytes(SHAPE.dimension, bytes(DIMENSION.name, INPUT)) : withKeptTokens(file, inner, next, rest);
  if (isFixed || !changed) return undefined;
  return bytes(number, [file.slice(field.start, inner.from), ...changed, file.slice(inner.end, field.end)]);
}

function fieldsIn(file: Uint8Array, { start, end }: Field, number: number): Field[] {
  return [...fieldsOf(file, start, end)].filter((field) => field.number === number);
}
