/**
 * Computes only the first token's vector in a cross-encoder's last layer. Its head reads no other, so what is computed
 * token by token for the others would be thrown away. That is a third of the time of a model with two layers, and a tenth
 * with six.
 * @module
 */
import { bytes, type Edit, fieldsOf, type ProtobufMessage, textOf } from './protobuf.js';
import { GRAPH, graphEdits, replaced } from './graph-edits.js';
import { type GraphNode, type OnnxGraph, type Readers, readersOf } from './read-graph.js';
import { attributeNumbers, constantNumbers } from './whole-numbers.js';
import { constant, type GraphPlan, NODE, node } from './write-graph.js';

/** Prefix of the names of added values. */
const OWN = '~t';

/** From these versions on axes may be negative, and weights need not be inputs. */
const MIN_OPERATOR_VERSION = 11;
const MIN_FORMAT_VERSION = 4;

/** The axis of the tokens in `[texts, tokens, size]`, and in what has fewer dimensions and is spread over it. */
const TOKENS = BigInt64Array.of(-2n);

/** Operators that are applied to each number, of one or two inputs. */
const EACH = new Set(
  'Abs Add Cast Div Erf Gelu Identity Mul Neg Pow Reciprocal Relu Sigmoid Sqrt Sub Tanh com.microsoft.Gelu'.split(' '),
);
/** Products with a matrix of weights. */
const PRODUCTS = new Set(['MatMul', 'com.microsoft.MatMulIntegerToFloat']);
/** Products in a head, whose vectors have no dimension of tokens any more. */
const HEAD_PRODUCTS = new Set([...PRODUCTS, 'Gemm', 'MatMulInteger']);
/** Operators that change the numbers of a vector by its own. */
const OF_VECTOR = new Set(['ReduceMax', 'ReduceMean']);
const NORM = 'LayerNormalization';
const QUANTIZER = 'QuantizeLinear';
const QUANTIZERS = new Set([QUANTIZER, 'DynamicQuantizeLinear']);

/** Makers of values that have the tokens in the last dimension but one; a shape follows what comes back from the attention. */
const MAKERS = new Set(
  [NORM, 'Reshape', 'com.microsoft.Attention', 'com.microsoft.MultiHeadAttention'].concat([...PRODUCTS]),
);

/** The same graph with less to compute, and the same scores; nothing when anything is unknown. */
export const keepFirstToken: GraphPlan = (graph, file) => {
  if (!canBeChanged(graph)) return undefined;
  const readers = readersOf(graph);
  for (const taken of graph.nodes) {
    if (!takesFirstToken(file, graph, readers, taken)) continue;
    const last = new LastVectors(file, graph, readers, taken);
    if (last.nodes.some((each) => PRODUCTS.has(nameOf(each)))) return editsOf(file, graph, taken, last);
  }
  return undefined;
};

const nameOf = ({ domain, operator }: GraphNode): string => (domain === '' ? operator : `${domain}.${operator}`);

function canBeChanged({ nodes, weightRanks, operatorVersion, formatVersion }: OnnxGraph): boolean {
  const isNew = operatorVersion >= MIN_OPERATOR_VERSION && formatVersion >= MIN_FORMAT_VERSION;
  const names = [...weightRanks.keys(), ...nodes.flatMap(({ outputs }) => outputs)];
  return isNew && !names.some((name) => name.startsWith(OWN)) && nodes.every(({ hasGraphs }) => !hasGraphs);
}

/**
 * Whether an operator takes the first of `[texts, tokens, size]` along its second axis. What it gives goes into a product
 * with weights, so it has two dimensions itself.
 */
function takesFirstToken(file: Uint8Array, graph: OnnxGraph, readers: Readers, taken: GraphNode): boolean {
  const [, index = ''] = taken.inputs;
  if (nameOf(taken) !== 'Gather' || attributeNumbers(file, taken, 'axis')?.[0] !== 1n) return false;
  if (constantRank(graph, index) !== 0 || constantNumbers(file, graph, index)?.[0] !== 0n) return false;
  const values = new Set(taken.outputs);
  for (const value of values) {
    for (const reader of readers.get(value) ?? []) {
      const [first, weights = ''] = reader.inputs;
      const name = nameOf(reader);
      if (HEAD_PRODUCTS.has(name) && first === value && graph.weightRanks.get(weights) === 2) return true;
      if (EACH.has(name) || QUANTIZERS.has(name)) for (const output of reader.outputs) values.add(output);
    }
  }
  return false;
}

/** Number of dimensions of weights and constants; undefined for other values. */
function constantRank(graph: OnnxGraph, name: string): number | undefined {
  return graph.weightRanks.get(name) ?? graph.nodes.find(({ outputs }) => outputs[0] === name)?.constantRank;
}

/** The operators that treat each token by itself, and of whose results only the first token's are read. */
class LastVectors {
  /** From the last back to the first, without the one that takes the first token. */
  readonly nodes: readonly GraphNode[];
  /** The values that they read of all tokens. */
  readonly values: ReadonlySet<string>;
  readonly #file: Uint8Array;
  readonly #graph: OnnxGraph;
  readonly #makers: ReadonlyMap<string, GraphNode>;
  readonly #ofTokens = new Map<string, boolean>();

  constructor(file: Uint8Array, graph: OnnxGraph, readers: Readers, taken: GraphNode) {
    this.#file = file;
    this.#graph = graph;
    this.#makers = new Map(graph.nodes.flatMap((each) => each.outputs.map((name) => [name, each] as const)));
    const outputs = new Set(graph.outputs.map(({ name }) => name));
    const found = new Set([taken]);
    // From the end: what reads a value has been there when its maker comes.
    for (const each of graph.nodes.toReversed()) {
      const [name = '', ...more] = each.outputs;
      const reading = readers.get(name) ?? [];
      const isOnlyHere = reading.length > 0 && more.length === 0 && !outputs.has(name);
      if (isOnlyHere && reading.every((reader) => found.has(reader)) && this.#isByToken(each)) found.add(each);
    }
    const made = new Set([...found].flatMap((each) => each.outputs));
    const read = [...found].flatMap((each) => each.inputs);
    this.values = new Set(read.filter((name) => name !== '' && !made.has(name) && !this.#isConstant(name)));
    found.delete(taken);
    this.nodes = [...found];
  }

  #isConstant(name: string): boolean {
    return constantRank(this.#graph, name) !== undefined;
  }

  #isByToken(each: GraphNode): boolean {
    const [first = '', second = '', ...more] = each.inputs;
    const name = nameOf(each);
    if (EACH.has(name)) return each.inputs.every((input) => this.#areConstants([input], 1) || this.#isOfTokens(input));
    if (this.#isConstant(first)) return false;
    if (PRODUCTS.has(name)) return this.#graph.weightRanks.get(second) === 2 && this.#areConstants(more, 1);
    if (name === QUANTIZER) return this.#areConstants([second, ...more], 0);
    if (name === NORM) return this.#isOfLastAxis(each, 'axis', [-1n]) && this.#areConstants([second, ...more], 1);
    if (!OF_VECTOR.has(name) || (attributeNumbers(this.#file, each, 'keepdims')?.[0] ?? 1n) !== 1n) return false;
    return this.#isOfLastAxis(each, 'axes', constantNumbers(this.#file, this.#graph, second));
  }

  /** Constants of at most so many dimensions, or omitted. */
  #areConstants(names: readonly string[], most: number): boolean {
    return names.every((name) => name === '' || (constantRank(this.#graph, name) ?? Infinity) <= most);
  }

  #isOfLastAxis(each: GraphNode, attribute: string, assumed: readonly bigint[] = []): boolean {
    const axes = attributeNumbers(this.#file, each, attribute) ?? assumed;
    return axes.length === 1 && (axes[0] === -1n || axes[0] === 2n);
  }

  /** Whether a value is known to have the tokens in the last dimension but one. */
  #isOfTokens(value: string): boolean {
    const known = this.#ofTokens.get(value);
    if (known !== undefined) return known;
    const maker = this.#makers.get(value);
    const name = maker && nameOf(maker);
    const passes = name !== undefined && (EACH.has(name) || OF_VECTOR.has(name) || name === QUANTIZER);
    const isOf =
      name !== undefined && (MAKERS.has(name) || (passes && maker!.inputs.some((input) => this.#isOfTokens(input))));
    this.#ofTokens.set(value, isOf);
    return isOf;
  }
}

function editsOf(file: Uint8Array, graph: OnnxGraph, taken: GraphNode, { nodes, values }: LastVectors): Edit[] {
  const names = new Map([...values].map((value, index) => [value, `${OWN}${index}`]));
  const [start, end, axis] = [`${OWN}s`, `${OWN}e`, `${OWN}x`];
  const cut = new Set<string>();
  const edits: Edit[] = [];
  for (const each of graph.nodes.filter((one) => one === taken || nodes.includes(one))) {
    const fresh = [...new Set(each.inputs)].filter((name) => names.has(name) && !cut.has(name));
    for (const name of fresh) cut.add(name);
    if (!each.inputs.some((name) => names.has(name))) continue;
    const slices = fresh.flatMap((name) =>
      node({ operator: 'Slice', inputs: [name, start, end, axis], output: names.get(name)! }),
    );
    edits.push(replaced(each.field, [...slices, ...bytes(GRAPH.node, renamed(file, each, names))]));
  }
  const made = new Set(nodes.flatMap((each) => each.outputs));
  // Their descriptions name the number of tokens, which is another now.
  edits.push(...graph.values.filter(({ name }) => made.has(name)).map(({ field }) => replaced(field, [])));
  const added = [
    ...constant(start, BigInt64Array.of(0n)),
    ...constant(end, BigInt64Array.of(1n)),
    ...constant(axis, TOKENS),
  ];
  return graphEdits(graph.field, edits, added);
}

/** An operator with other names of its inputs. */
function renamed(file: Uint8Array, { field }: GraphNode, names: ReadonlyMap<string, string>): ProtobufMessage {
  return [...fieldsOf(file, field.start, field.end)].flatMap((part) => {
    const name = part.number === NODE.input ? names.get(textOf(file, part)) : undefined;
    return name === undefined ? [file.slice(part.from, part.end)] : bytes(NODE.input, name);
  });
}
