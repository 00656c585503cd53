/**
 * Adds an input to a decoder's graph that limits the logits to the last tokens. Most graphs compute logits for every token.
 * Those of a prefill block are nearly all unused, and the product with the vocabulary is a large part of a small model's
 * time.
 * @module
 */
import { GRAPH, graphEdits, replaced } from './graph-edits.js';
import { bytes, type Edit, type Field, fieldsOf, integer, type ProtobufMessage } from './protobuf.js';
import { FACTOR } from './quantize-by-row.js';
import type { GraphNode, OnnxGraph } from './read-graph.js';
import { constant, type GraphPlan, INT64, node, NODE } from './write-graph.js';

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
  return product && planEdits(file, graph, product);
};

function canBeAsked({ inputs, nodes, weightRanks, operatorVersion, formatVersion }: OnnxGraph): boolean {
  const isNew = operatorVersion >= MIN_OPERATOR_VERSION && formatVersion >= MIN_FORMAT_VERSION;
  const names = [...inputs.map(({ name }) => name), ...weightRanks.keys(), ...nodes.flatMap(({ outputs }) => outputs)];
  const isTaken = names.some((name) => name === INPUT || name.startsWith(OWN));
  return isNew && !isTaken && nodes.every(({ hasGraphs }) => !hasGraphs);
}

function planEdits(file: Uint8Array, { field, outputs, values }: OnnxGraph, product: LastProduct): Edit[] | undefined {
  const edits: Edit[] = product.nodes.map((each, nth) => replaced(each.field, ofLast(file, each, nth)));
  const logits = outputs.find(({ name }) => name === LOGITS);
  const described = values.filter(({ name }) => product.values.includes(name));
  if (!logits) return undefined;
  for (const value of [logits, ...described]) {
    const pieces = withRenamedTokens(file, value.field, value === logits ? GRAPH.output : GRAPH.value);
    if (!pieces) return undefined;
    edits.push(replaced(value.field, pieces));
  }
  const one = constant(`${OWN}one`, BigInt64Array.of(1n));
  const end = constant(`${OWN}end`, BigInt64Array.of(END));
  return graphEdits(field, edits, [...one, ...end, ...newInput()]);
}

/** An operator, preceded by one that takes the last tokens of its first input. @param nth among those that need it */
function ofLast(file: Uint8Array, { field, inputs, firstInput }: GraphNode, nth: number): ProtobufMessage {
  const [one, start, last] = [`${OWN}one`, `${OWN}start`, `${OWN}vectors/${nth}`];
  const [before, after] = [file.slice(field.start, firstInput!.from), file.slice(firstInput!.end, field.end)];
  const negative = `${OWN}negative`;
  const shared = [
    ...node({ operator: 'Neg', inputs: [INPUT], output: negative }),
    ...node({ operator: 'Reshape', inputs: [negative, one], output: start }),
  ];
  return [
    ...(nth === 0 ? shared : []),
    ...node({ operator: 'Slice', inputs: [inputs[0]!, start, `${OWN}end`, one], output: last }),
    ...bytes(GRAPH.node, [before, ...bytes(NODE.input, last), after]),
  ];
}

/** The new input: a scalar. */
function newInput(): ProtobufMessage {
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
function withRenamedTokens(
  file: Uint8Array,
  field: Field,
  number: number,
  path = TO_SHAPE,
): ProtobufMessage | undefined {
  const [next, ...rest] = path;
  const parts = fieldsIn(file, field, next ?? SHAPE.dimension);
  const inner = next === undefined ? parts[1] : parts[0];
  if (!inner || parts.length !== (next === undefined ? 3 : 1)) return undefined;
  const isFixed = next === undefined && fieldsIn(file, inner, DIMENSION.value).length > 0;
  const changed =
    next === undefined
      ? bytes(SHAPE.dimension, bytes(DIMENSION.name, INPUT))
      : withRenamedTokens(file, inner, next, rest);
  if (isFixed || !changed) return undefined;
  return bytes(number, [file.slice(field.start, inner.from), ...changed, file.slice(inner.end, field.end)]);
}

function fieldsIn(file: Uint8Array, { start, end }: Field, number: number): Field[] {
  return [...fieldsOf(file, start, end)].filter((field) => field.number === number);
}

/** The product that makes the logits. */
interface LastProduct {
  /**
   * Operators whose first input, `[sequences, tokens, size]`, differs by token, in the order of the graph: the product of
   * vectors and the weights of the vocabulary, and where it has one, the product with a factor for each token.
   */
  nodes: readonly GraphNode[];
  /** Names of the values from the logits back to the product's output, both included. */
  values: readonly string[];
}

/** Operators with one input, applied to each number. */
const UNARY = new Set(['Cast', 'Tanh', 'Identity']);
/** Operators with two inputs, applied to each number; one of them must be the same for all tokens. */
const BINARY = new Set(['Add', 'Sub', 'Mul', 'Div']);
/** Products with a matrix of weights, except those that choose one scale for all rows. */
const PRODUCTS = new Set([
  'MatMul',
  'MatMulInteger',
  'com.microsoft.MatMulNBits',
  'com.microsoft.MatMulIntegerToFloat',
]);
/** `MatMulNBits` packs its weights: they have three dimensions instead of two. */
const PACKED = 'com.microsoft.MatMulNBits';
/** Operators that weights may pass before the product. */
const OF_WEIGHTS = new Set(['Transpose', 'Cast', 'Identity', 'DequantizeLinear']);

/** Maximum number of operators between weights and their use in known models. */
const MAX_OPERATORS = 3;

/**
 * Follows an output back through operators that are applied to each number.
 * @returns undefined when an operator on the way is unknown
 */
function findLastProduct(graph: OnnxGraph, output: string): LastProduct | undefined {
  const makers = new Map(graph.nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
  const values = [output];
  const scaled: GraphNode[] = [];
  for (;;) {
    const value = values.at(-1)!;
    const node = makers.get(value);
    if (!node || node.outputs.length !== 1 || node.hasGraphs) return undefined;
    // Another operator may read the value of every token.
    const readers = graph.nodes.filter(({ inputs }) => inputs.includes(value)).length;
    if (readers !== (value === output ? 0 : 1)) return undefined;
    if (value !== output && graph.outputs.some(({ name }) => name === value)) return undefined;
    if (PRODUCTS.has(nameOf(node))) {
      const nodes = [node, ...scaled];
      return isProductOfWeights(node, graph, makers) ? { nodes, values } : undefined;
    }
    const [factor, product] = node.inputs;
    const isScaled = node.operator === 'Mul' && factor !== undefined && factor.startsWith(FACTOR);
    if (isScaled) scaled.unshift(node);
    const next = isScaled ? product : numbersOf(node, graph, makers);
    if (next === undefined) return undefined;
    values.push(next);
  }
}

type Makers = ReadonlyMap<string, GraphNode>;

const nameOf = ({ domain, operator }: GraphNode): string => (domain === '' ? operator : `${domain}.${operator}`);

/** The input of an operator that has the numbers of the tokens; the other one is the same for all tokens. */
function numbersOf(node: GraphNode, graph: OnnxGraph, makers: Makers): string | undefined {
  const [first, second] = node.inputs;
  if (UNARY.has(nameOf(node)) && node.inputs.length === 1) return first;
  if (!BINARY.has(nameOf(node)) || first === undefined || second === undefined) return undefined;
  if (isSameForAll(second, graph, makers)) return first;
  return isSameForAll(first, graph, makers) ? second : undefined;
}

function isProductOfWeights(node: GraphNode, graph: OnnxGraph, makers: Makers): boolean {
  const [vectors, weights, ...others] = node.inputs;
  if (vectors === undefined || vectors === '' || weights === undefined) return false;
  const rank = weightRank(weights, graph, makers);
  if (nameOf(node) === PACKED ? rank === undefined : rank !== 2) return false;
  return others.every((name) => name === '' || graph.weightRanks.has(name) || isSameForAll(name, graph, makers));
}

/** Whether a value is one number, or one per column, and so independent of the tokens. @param depth operators to follow */
function isSameForAll(name: string, graph: OnnxGraph, makers: Makers, depth = MAX_OPERATORS): boolean {
  const rank = graph.weightRanks.get(name);
  if (rank !== undefined) return rank <= 1;
  const node = makers.get(name);
  if (!node || depth === 0) return false;
  const operator = nameOf(node);
  if (operator === 'Constant') return node.constantRank !== undefined && node.constantRank <= 1;
  // Scale and zero point, one for the whole tensor.
  if (operator === 'DynamicQuantizeLinear') return name !== node.outputs[0];
  const isKnown = UNARY.has(operator) || BINARY.has(operator);
  return isKnown && node.inputs.every((input) => isSameForAll(input, graph, makers, depth - 1));
}

/** Number of dimensions of weights; undefined for other values. @param depth operators to follow */
function weightRank(name: string, graph: OnnxGraph, makers: Makers, depth = MAX_OPERATORS): number | undefined {
  const rank = graph.weightRanks.get(name);
  if (rank !== undefined) return rank;
  const node = makers.get(name);
  if (!node || depth === 0) return undefined;
  if (nameOf(node) === 'Constant') return node.constantRank;
  if (!OF_WEIGHTS.has(nameOf(node))) return undefined;
  const ranks = node.inputs.map((input) => (input === '' ? 0 : weightRank(input, graph, makers, depth - 1)));
  return ranks.includes(undefined) ? undefined : ranks[0];
}
