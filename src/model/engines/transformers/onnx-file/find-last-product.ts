/** Finds the product with the vocabulary, where it is certain that each token's logits are its own row's. @module */
import type { GraphNode, OnnxGraph } from './read-graph.js';

/** Where logits come from. */
export interface LastProduct {
  /** Multiplies vectors, its first input `[sequences, tokens, size]`, by the weights of the vocabulary. */
  node: GraphNode;
  /** What is made of each other on the way from the product to the logits, both included. */
  values: readonly string[];
}

/** One number in, one number out. */
const UNARY = new Set(['Cast', 'Tanh', 'Identity']);
/** The same for two numbers of which one is the same for all tokens. */
const BINARY = new Set(['Add', 'Sub', 'Mul', 'Div']);
/** Products of a matrix of weights; those that choose a scale for all rows together are not among them. */
const PRODUCTS = new Set([
  'MatMul',
  'MatMulInteger',
  'com.microsoft.MatMulNBits',
  'com.microsoft.MatMulIntegerToFloat',
]);
/** The weights of `MatMulNBits` are packed: three dimensions stand for two. */
const PACKED = 'com.microsoft.MatMulNBits';
/** What weights may go through before the product. */
const OF_WEIGHTS = new Set(['Transpose', 'Cast', 'Identity', 'DequantizeLinear']);

/** Nothing that is known has more of them between weights and where they are used. */
const MAX_OPERATORS = 3;

/**
 * Goes back from an output through operators that treat every number for itself.
 * @returns undefined when anything on the way is not known
 */
export function findLastProduct(graph: OnnxGraph, output: string): LastProduct | undefined {
  const makers = new Map(graph.nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
  const values = [output];
  for (;;) {
    const value = values.at(-1)!;
    const node = makers.get(value);
    if (!node || node.outputs.length !== 1 || node.hasGraphs) return undefined;
    // Somebody else may want the value of every token.
    const readers = graph.nodes.filter(({ inputs }) => inputs.includes(value)).length;
    if (readers !== (value === output ? 0 : 1)) return undefined;
    if (value !== output && graph.outputs.some(({ name }) => name === value)) return undefined;
    if (PRODUCTS.has(nameOf(node))) return isProductOfWeights(node, graph, makers) ? { node, values } : undefined;
    const next = numbersOf(node, graph, makers);
    if (next === undefined) return undefined;
    values.push(next);
  }
}

type Makers = ReadonlyMap<string, GraphNode>;

const nameOf = ({ domain, operator }: GraphNode): string => (domain === '' ? operator : `${domain}.${operator}`);

/** The input of an operator between product and logits that has a number for each of its output. */
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

/** One number, or one for each column: whatever the tokens are, and however many. @param depth of operators to look through */
function isSameForAll(name: string, graph: OnnxGraph, makers: Makers, depth = MAX_OPERATORS): boolean {
  const rank = graph.weightRanks.get(name);
  if (rank !== undefined) return rank <= 1;
  const node = makers.get(name);
  if (!node || depth === 0) return false;
  const operator = nameOf(node);
  if (operator === 'Constant') return node.constantRank !== undefined && node.constantRank <= 1;
  // Scale and zero point of a whole tensor.
  if (operator === 'DynamicQuantizeLinear') return name !== node.outputs[0];
  const isKnown = UNARY.has(operator) || BINARY.has(operator);
  return isKnown && node.inputs.every((input) => isSameForAll(input, graph, makers, depth - 1));
}

/** Dimensions of weights; undefined for what is none. @param depth of operators to look through */
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
