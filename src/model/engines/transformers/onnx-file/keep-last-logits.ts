/**
 * Adds an input to a decoder's graph that limits the logits to the last tokens. Most graphs compute logits for every token.
 * Those of a prefill block are nearly all unused, and the product with the vocabulary is a large part of a small model's
 * time.
 * @module
 */
import { findLastProduct, type LastProduct } from './find-last-product.js';
import { bytes, type Edit, type Field, fieldsOf, integer, type Message } from './protobuf.js';
import type { GraphNode, OnnxGraph } from './read-graph.js';
import { GRAPH, graphEdits, replaced } from './graph-edits.js';
import { constant, type GraphPlan, INT64, NODE, node } from './write-graph.js';

/** The name of this input in graphs that have one: number of tokens at the end of each sequence; 0: all. */
const INPUT = 'num_logits_to_keep';
const LOGITS = 'logits';

/** From these versions on, the operators below have the form that is used here, and weights need not be inputs. */
const MIN_OPERATOR_VERSION = 13;
const MIN_FORMAT_VERSION = 4;

/** Prefix of the names of added values. */
const OWN = 'inpage/last_logits/';
const END = 2n ** 31n - 1n;

/** Field numbers of ONNX's messages. */
const VALUE = { name: 1, type: 2 };
const TYPE = { tensor: 1 };
const TENSOR_TYPE = { element: 1, shape: 2 };
const SHAPE = { dimension: 1 };
const DIMENSION = { value: 1, name: 2 };

/**
 * The same graph with an input `num_logits_to_keep`; nothing when it has one, or when anything is unknown. The logits that
 * are left are computed from the same numbers as before.
 */
export const keepLastLogits: GraphPlan = (graph, file) => {
  const product = canBeAsked(graph) ? findLastProduct(graph, LOGITS) : undefined;
  return product && editsOf(file, graph, product);
};

function canBeAsked({ inputs, nodes, weightRanks, operatorVersion, formatVersion }: OnnxGraph): boolean {
  const isNew = operatorVersion >= MIN_OPERATOR_VERSION && formatVersion >= MIN_FORMAT_VERSION;
  const names = [...inputs.map(({ name }) => name), ...weightRanks.keys(), ...nodes.flatMap(({ outputs }) => outputs)];
  const isTaken = names.some((name) => name === INPUT || name.startsWith(OWN));
  return isNew && !isTaken && nodes.every(({ hasGraphs }) => !hasGraphs);
}

function editsOf(file: Uint8Array, { field, outputs, values }: OnnxGraph, product: LastProduct): Edit[] | undefined {
  const edits: Edit[] = product.nodes.map((each, place) => replaced(each.field, ofLast(file, each, place)));
  const logits = outputs.find(({ name }) => name === LOGITS);
  const described = values.filter(({ name }) => product.values.includes(name));
  if (!logits) return undefined;
  for (const value of [logits, ...described]) {
    const pieces = withKeptTokens(file, value.field, value === logits ? GRAPH.output : GRAPH.value);
    if (!pieces) return undefined;
    edits.push(replaced(value.field, pieces));
  }
  const one = constant(`${OWN}one`, BigInt64Array.of(1n));
  const end = constant(`${OWN}end`, BigInt64Array.of(END));
  return graphEdits(field, edits, [...one, ...end, ...newInput()]);
}

/** An operator, preceded by one that takes the last tokens of its first input. @param place among those that need it */
function ofLast(file: Uint8Array, { field, inputs, firstInput }: GraphNode, place: number): Message {
  const [one, start, last] = [`${OWN}one`, `${OWN}start`, `${OWN}vectors/${place}`];
  const [before, after] = [file.slice(field.start, firstInput!.from), file.slice(firstInput!.end, field.end)];
  const negative = `${OWN}negative`;
  const shared = [
    ...node({ operator: 'Neg', inputs: [INPUT], output: negative }),
    ...node({ operator: 'Reshape', inputs: [negative, one], output: start }),
  ];
  return [
    ...(place === 0 ? shared : []),
    ...node({ operator: 'Slice', inputs: [inputs[0]!, start, `${OWN}end`, one], output: last }),
    ...bytes(GRAPH.node, [before, ...bytes(NODE.input, last), after]),
  ];
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
