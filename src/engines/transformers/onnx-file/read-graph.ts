/**
 * Reads the graph of an ONNX file, without its weights. https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
 * @module
 */
import { InferenceError } from '../../../core/errors/inference-error.js';
import { type Field, fieldsOf, lastField, textOf } from './protobuf.js';

/** An operator and what it reads and writes. */
export interface GraphNode {
  /** `''` for ONNX's own operators. */
  domain: string;
  operator: string;
  /** Names; `''` for an omitted input. */
  inputs: readonly string[];
  outputs: readonly string[];
  field: Field;
  /** Of its first input. */
  firstInput: Field | undefined;
  /** Number of dimensions of a constant tensor; undefined for other operators. */
  constantRank: number | undefined;
  /** It has subgraphs, which may read any value outside of them. */
  hasGraphs: boolean;
}

/** A named value with its type. */
interface GraphValue {
  name: string;
  field: Field;
}

export interface OnnxGraph {
  field: Field;
  nodes: readonly GraphNode[];
  /** Number of dimensions of each weight, by name. */
  weightRanks: ReadonlyMap<string, number>;
  inputs: readonly GraphValue[];
  outputs: readonly GraphValue[];
  /** Descriptions of intermediate values. */
  values: readonly GraphValue[];
  /** Of the operators that may be used; `''` for ONNX's own. */
  domains: ReadonlySet<string>;
  /** Version of ONNX's own operators. */
  operatorVersion: number;
  /** Version of the file's format. */
  formatVersion: number;
}

const MODEL = { formatVersion: 1, graph: 7, operatorSet: 8, functions: 25 };
const FUNCTION = { node: 7 };
const OPERATOR_SET = { domain: 1, version: 2 };
const GRAPH = { node: 1, weight: 5, input: 11, output: 12, value: 13 };
const NODE = { input: 1, output: 2, operator: 4, attribute: 5, domain: 7 };
const ATTRIBUTE = { tensor: 5, graph: 6, graphs: 11 };
const TENSOR = { dimension: 1, name: 8 };
const VALUE = { name: 1 };

/** Operators of a graph, those of its branches and functions included. The largest in use have some 20,000. */
const MOST_NODES = 200_000;
/** Inputs and outputs of a graph. One of 128 layers has 600. */
const MOST_VALUES = 2_000;

/**
 * Refuses a graph that no engine could open in bounds of time and memory; what is damaged is left to the engine.
 * @throws InferenceError `model_not_supported`
 */
export function checkGraphSize(file: Uint8Array): void {
  let [nodes, values] = [0, 0];
  const count = (within: Field, kind: 'graph' | 'function'): void => {
    for (const part of fieldsOf(file, within.start, within.end)) {
      if (kind === 'graph' && (part.number === GRAPH.input || part.number === GRAPH.output)) values += 1;
      if (part.number === (kind === 'graph' ? GRAPH.node : FUNCTION.node)) countNode(part);
      if (values > MOST_VALUES) throw tooLarge(`${MOST_VALUES} inputs and outputs`);
    }
  };
  const countNode = (node: Field): void => {
    nodes += 1;
    if (nodes > MOST_NODES) throw tooLarge(`${MOST_NODES} operators`);
    for (const attribute of fieldsOf(file, node.start, node.end)) {
      if (attribute.number !== NODE.attribute) continue;
      for (const part of fieldsOf(file, attribute.start, attribute.end))
        if (part.number === ATTRIBUTE.graph || part.number === ATTRIBUTE.graphs) count(part, 'graph');
    }
  };
  try {
    for (const field of fieldsOf(file, 0, file.length)) {
      if (field.number === MODEL.graph) count(field, 'graph');
      if (field.number === MODEL.functions) count(field, 'function');
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

function tooLarge(bound: string): InferenceError {
  const reason = `One of the model's graphs has more than ${bound}, which cannot run here.`;
  return new InferenceError('model_not_supported', reason, { param: 'model', reason, permanent: true });
}

/** @returns undefined unless there is exactly one graph @throws RangeError when the file is damaged */
export function readGraph(file: Uint8Array): OnnxGraph | undefined {
  const fields = [...fieldsOf(file, 0, file.length)];
  const [field, another] = fields.filter(({ number }) => number === MODEL.graph);
  if (!field || another || fields.some(({ number }) => number === MODEL.functions)) return undefined;
  const nodes: GraphNode[] = [];
  const weightRanks = new Map<string, number>();
  const inputs: GraphValue[] = [];
  const outputs: GraphValue[] = [];
  const values: GraphValue[] = [];
  for (const part of fieldsOf(file, field.start, field.end)) {
    if (part.number === GRAPH.node) nodes.push(readNode(file, part));
    else if (part.number === GRAPH.weight) {
      const name = textOf(file, lastField(file, part.start, part.end, TENSOR.name));
      weightRanks.set(name, rankOf(file, part));
    } else if (part.number === GRAPH.input) inputs.push(readValue(file, part));
    else if (part.number === GRAPH.output) outputs.push(readValue(file, part));
    else if (part.number === GRAPH.value) values.push(readValue(file, part));
  }
  const versions = operatorVersions(file, fields);
  const formatVersion = fields.findLast(({ number }) => number === MODEL.formatVersion)?.value ?? 0;
  const [domains, operatorVersion] = [new Set(versions.keys()), versions.get('') ?? 0];
  return { field, nodes, weightRanks, inputs, outputs, values, domains, operatorVersion, formatVersion };
}

function operatorVersions(file: Uint8Array, fields: readonly Field[]): Map<string, number> {
  const versions = new Map<string, number>();
  for (const { number, start, end } of fields) {
    if (number !== MODEL.operatorSet) continue;
    const domain = domainOf(textOf(file, lastField(file, start, end, OPERATOR_SET.domain)));
    const version = lastField(file, start, end, OPERATOR_SET.version)?.value ?? 0;
    if (!versions.has(domain)) versions.set(domain, version);
  }
  return versions;
}

/** ONNX's own operators have no domain, or this one. */
const domainOf = (name: string): string => (name === 'ai.onnx' ? '' : name);

function readNode(file: Uint8Array, field: Field): GraphNode {
  const parts = [...fieldsOf(file, field.start, field.end)];
  const partsOf = (wanted: number): Field[] => parts.filter(({ number }) => number === wanted);
  const inputs = partsOf(NODE.input);
  const operator = textOf(file, partsOf(NODE.operator).at(-1));
  const attributes = partsOf(NODE.attribute).flatMap(({ start, end }) => [...fieldsOf(file, start, end)]);
  const tensor = attributes.find(({ number }) => number === ATTRIBUTE.tensor);
  return {
    domain: domainOf(textOf(file, partsOf(NODE.domain).at(-1))),
    operator,
    inputs: inputs.map((input) => textOf(file, input)),
    outputs: partsOf(NODE.output).map((output) => textOf(file, output)),
    field,
    firstInput: inputs[0],
    constantRank: operator === 'Constant' && tensor ? rankOf(file, tensor) : undefined,
    hasGraphs: attributes.some(({ number }) => number === ATTRIBUTE.graph || number === ATTRIBUTE.graphs),
  };
}

function readValue(file: Uint8Array, field: Field): GraphValue {
  return { name: textOf(file, lastField(file, field.start, field.end, VALUE.name)), field };
}

/** Dimensions are written one by one or together; either way each ends with a byte below 128. */
function rankOf(file: Uint8Array, tensor: Field): number {
  let rank = 0;
  for (const { number, start, end } of fieldsOf(file, tensor.start, tensor.end)) {
    if (number !== TENSOR.dimension) continue;
    for (const byte of file.subarray(start, end)) if (byte < 128) rank += 1;
  }
  return rank;
}

/** Nodes that read each value; the graph's outputs have no entry, because no node reads them. */
export type Readers = ReadonlyMap<string, readonly GraphNode[]>;

export function readersOf({ nodes }: OnnxGraph): Readers {
  const readers = new Map<string, GraphNode[]>();
  for (const each of nodes)
    for (const name of new Set(each.inputs)) {
      const known = readers.get(name);
      if (known) known.push(each);
      else readers.set(name, [each]);
    }
  return readers;
}
