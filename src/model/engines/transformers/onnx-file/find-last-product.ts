/** Finds the matrix product that makes the logits, if every operator after it treats each token by itself. @module */
import { FACTOR } from './quantize-by-row.js';
import type { GraphNode, OnnxGraph } from './read-graph.js';

/** The product that makes the logits. */
export interface LastProduct {
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
export function findLastProduct(graph: OnnxGraph, output: string): LastProduct | undefined {
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
