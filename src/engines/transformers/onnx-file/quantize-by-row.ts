/**
 * Gives each row of a product in 8 bits a scale of its own. `DynamicQuantizeLinear` takes one scale for everything that a
 * pass reads. The answer of one sequence would then depend on the other sequences of the pass, on the length of its
 * prompt's blocks, and on the number of drafted tokens. With one scale per row (a token) it depends on nothing but the row.
 * @module
 */
import { bytes, type Edit, integer } from './protobuf.js';
import { type GraphNode, type OnnxGraph, type Readers, readersOf } from './read-graph.js';
import { graphEdits, replaced } from './graph-edits.js';
import { constant, type GraphPlan, node } from './write-graph.js';

/** Prefix of the names of added values, which are short: the more room is left where the graph stands. */
const OWN = '~';
/** Prefix of the names of factors: one for each token, by which a product is multiplied at last. */
export const FACTOR = `${OWN}f`;

const MICROSOFT = 'com.microsoft';
/** `MatMulIntegerToFloat`: the product with a zero point, a cast and the scales in one operator. */
const PRODUCT = 'MatMulIntegerToFloat';

/** The versions in which `DynamicQuantizeLinear` came, weights need not be inputs, and axes are an input. */
const MIN_OPERATOR_VERSION = 11;
const MIN_FORMAT_VERSION = 4;
const AXES_AS_INPUT = 18;

const LAST_AXIS = BigInt64Array.of(-1n);
/** Numbers are -127 to 127 times the scale, around a zero point in the middle. */
const [SHARE, MIDDLE] = [Float32Array.of(1 / 127), Uint8Array.of(128)];

/** Field numbers of ONNX's messages. */
const MODEL = { operatorSet: 8 };
const OPERATOR_SET = { domain: 1, version: 2 };

/**
 * The same graph with a scale for each row. Nothing when no scale is for a whole pass, or only in unknown forms: in front
 * of convolutions or products without weights, or in branches.
 */
export const quantizeByRow: GraphPlan = (graph, file) => (canBeChanged(graph) ? planEdits(file, graph) : undefined);

function canBeChanged({ nodes, weightRanks, operatorVersion, formatVersion }: OnnxGraph): boolean {
  const isNew = operatorVersion >= MIN_OPERATOR_VERSION && formatVersion >= MIN_FORMAT_VERSION;
  const names = [...weightRanks.keys(), ...nodes.flatMap(({ outputs }) => outputs)];
  return isNew && !names.some((name) => name.startsWith(OWN)) && nodes.every(({ hasGraphs }) => !hasGraphs);
}

/** A product with weights of 8 bits, and the operators that turn it into floats. */
interface IntegerProduct {
  product: GraphNode;
  cast: GraphNode;
  /** The scale of the vectors times that of the weights. */
  scales: GraphNode;
  /** Multiplies the product by both. */
  last: GraphNode;
  /** Name of the scale, or scales, of the weights. */
  weightScale: string;
}

function planEdits(file: Uint8Array, graph: OnnxGraph): Edit[] | undefined {
  const readers = readersOf(graph);
  const edits: Edit[] = [];
  for (const quantizer of graph.nodes) {
    const products = quantizer.operator === 'DynamicQuantizeLinear' ? productsOf(quantizer, graph, readers) : undefined;
    if (products) edits.push(...byRow(quantizer, products, `${edits.length}`, graph));
  }
  if (edits.length === 0) return undefined;
  const added = [
    // The runtime warns of constants that nothing reads.
    ...(graph.operatorVersion >= AXES_AS_INPUT ? constant(`${OWN}x`, LAST_AXIS) : []),
    ...constant(`${OWN}h`, SHARE, []),
    ...constant(`${OWN}m`, MIDDLE, []),
  ];
  const domain = [...bytes(OPERATOR_SET.domain, MICROSOFT), ...integer(OPERATOR_SET.version, 1)];
  const named = graph.domains.has(MICROSOFT) ? [] : bytes(MODEL.operatorSet, domain);
  return [...graphEdits(graph.field, edits, added), { from: file.length, to: file.length, pieces: named }];
}

/** All products of these vectors; undefined when anything else reads them, their scale or their zero point. */
function productsOf(quantizer: GraphNode, graph: OnnxGraph, readers: Readers): IntegerProduct[] | undefined {
  const [vectors = '', scale = '', zero = ''] = quantizer.outputs;
  if ([vectors, scale, zero].some((name) => isOutput(graph, name))) return undefined;
  const products: IntegerProduct[] = [];
  for (const product of readers.get(vectors) ?? []) {
    const found = chainOf(product, { vectors, scale, zero }, graph, readers);
    if (!found) return undefined;
    products.push(found);
  }
  const known = (name: string, part: (each: IntegerProduct) => GraphNode): boolean =>
    (readers.get(name) ?? []).every((reader) => products.some((each) => part(each) === reader));
  const isAll = known(scale, ({ scales }) => scales) && known(zero, ({ product }) => product);
  return products.length > 0 && isAll ? products : undefined;
}

function chainOf(
  product: GraphNode,
  { vectors, scale, zero }: { vectors: string; scale: string; zero: string },
  graph: OnnxGraph,
  readers: Readers,
): IntegerProduct | undefined {
  const [first, weights = '', firstZero, weightZero = ''] = product.inputs;
  const isPlain = product.operator === 'MatMulInteger' && first === vectors && firstZero === zero;
  if (!isPlain || graph.weightRanks.get(weights) !== 2) return undefined;
  if (weightZero !== '' && !isPerColumn(graph, weightZero)) return undefined;
  const cast = onlyReader(product, 'Cast', graph, readers);
  const last = cast && onlyReader(cast, 'Mul', graph, readers);
  const factor = last?.inputs.find((name) => name !== cast!.outputs[0]);
  const scales = (readers.get(scale) ?? []).find(({ outputs }) => outputs[0] === factor);
  if (!cast || !last || !scales || onlyReader(scales, 'Mul', graph, readers) !== last) return undefined;
  const weightScale = scales.inputs.find((name) => name !== scale);
  if (scales.operator !== 'Mul' || weightScale === undefined || !isPerColumn(graph, weightScale)) return undefined;
  return { product, cast, scales, last, weightScale };
}

/** One number for all columns, or one for each. */
const isPerColumn = (graph: OnnxGraph, name: string): boolean => (graph.weightRanks.get(name) ?? 2) <= 1;

const isOutput = (graph: OnnxGraph, name: string): boolean => graph.outputs.some((output) => output.name === name);

/** The operator that alone reads the only output of another. */
function onlyReader(
  { outputs }: GraphNode,
  operator: string,
  graph: OnnxGraph,
  readers: Readers,
): GraphNode | undefined {
  const [name = '', more] = outputs;
  const [reader, another] = readers.get(name) ?? [];
  const isOnly = more === undefined && another === undefined && !isOutput(graph, name);
  return isOnly && reader?.operator === operator && reader.domain === '' ? reader : undefined;
}

/** Rows are divided by their greatest number, so that one fixed scale suits all, and the products multiplied by it again. */
function byRow(quantizer: GraphNode, products: readonly IntegerProduct[], id: string, graph: OnnxGraph): Edit[] {
  const [input = ''] = quantizer.inputs;
  const [vectors = ''] = quantizer.outputs;
  const [sizes, factor, parts] = [`${OWN}s${id}`, FACTOR + id, `${OWN}p${id}`];
  const [axis, share, middle] = [`${OWN}x`, `${OWN}h`, `${OWN}m`];
  const isInput = graph.operatorVersion >= AXES_AS_INPUT;
  const edits = [
    replaced(quantizer.field, [
      ...node({ operator: 'Abs', inputs: [input], output: sizes }),
      ...node({
        operator: 'ReduceMax',
        inputs: isInput ? [sizes, axis] : [sizes],
        output: factor,
        attributes: isInput ? {} : { axes: [-1] },
      }),
      ...node({ operator: 'Div', inputs: [input, factor], output: parts }),
      ...node({ operator: 'QuantizeLinear', inputs: [parts, share, middle], output: vectors }),
    ]),
  ];
  for (const [index, { product, cast, scales, last, weightScale }] of products.entries()) {
    const [, weights = '', , zero = ''] = product.inputs;
    const output = `${OWN}q${id}.${index}`;
    const inputs = [vectors, weights, share, weightScale, middle, zero];
    edits.push(
      replaced(product.field, node({ operator: PRODUCT, inputs, output, domain: MICROSOFT })),
      replaced(cast.field, []),
      replaced(scales.field, []),
      // The factor comes first: it is the input of this operator that differs by token.
      replaced(last.field, node({ operator: 'Mul', inputs: [factor, output], output: last.outputs[0]! })),
    );
  }
  return edits;
}
