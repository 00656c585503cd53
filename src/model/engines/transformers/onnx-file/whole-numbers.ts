/** Whole numbers that a graph's file holds: attributes of operators, and small constants. @module */
import { GRAPH, TENSOR } from './graph-edits.js';
import { type Field, fieldsOf, lastField, textOf } from './protobuf.js';
import type { GraphNode, OnnxGraph } from './read-graph.js';

/** Field numbers of ONNX's messages. */
const NODE = { attribute: 5 };
const ATTRIBUTE = { name: 1, number: 3, tensor: 5, numbers: 8 };
const NUMBERS = 7;

/** An attribute's numbers; undefined when the operator does not have it. */
export function attributeNumbers(file: Uint8Array, { field }: GraphNode, name: string): bigint[] | undefined {
  const found = [...fieldsOf(file, field.start, field.end)].find(
    (part) =>
      part.number === NODE.attribute && textOf(file, lastField(file, part.start, part.end, ATTRIBUTE.name)) === name,
  );
  if (!found) return undefined;
  const parts = [...fieldsOf(file, found.start, found.end)];
  return parts
    .filter(({ number }) => number === ATTRIBUTE.number || number === ATTRIBUTE.numbers)
    .flatMap((part) => varints(file, part));
}

/** The numbers of a constant of 64-bit whole numbers; undefined for other values. */
export function constantNumbers(file: Uint8Array, graph: OnnxGraph, name: string): bigint[] | undefined {
  const tensor = weightNamed(file, graph, name) ?? constantNamed(file, graph, name);
  return tensor && numbersOf(file, tensor);
}

function weightNamed(file: Uint8Array, { field, weightRanks }: OnnxGraph, name: string): Field | undefined {
  if (!weightRanks.has(name)) return undefined;
  return [...fieldsOf(file, field.start, field.end)].find(
    ({ number, start, end }) =>
      number === GRAPH.weight && textOf(file, lastField(file, start, end, TENSOR.name)) === name,
  );
}

function constantNamed(file: Uint8Array, { nodes }: OnnxGraph, name: string): Field | undefined {
  const node = nodes.find(({ operator, outputs }) => operator === 'Constant' && outputs[0] === name);
  const attribute = node && lastField(file, node.field.start, node.field.end, NODE.attribute);
  return attribute && lastField(file, attribute.start, attribute.end, ATTRIBUTE.tensor);
}

function numbersOf(file: Uint8Array, { start, end }: Field): bigint[] | undefined {
  if (lastField(file, start, end, TENSOR.type)?.value !== 7) return undefined;
  const data = lastField(file, start, end, TENSOR.data);
  const listed = [...fieldsOf(file, start, end)].filter(({ number }) => number === NUMBERS);
  return data
    ? [...new BigInt64Array(file.slice(data.start, data.end).buffer)]
    : listed.flatMap((part) => varints(file, part));
}

/** Numbers written one by one or together: each ends with a byte below 128. */
function varints(file: Uint8Array, { start, end }: Field): bigint[] {
  const numbers: bigint[] = [];
  let [number, place] = [0n, 0n];
  for (const byte of file.subarray(start, end)) {
    number += BigInt(byte % 128) << place;
    place += 7n;
    if (byte >= 128) continue;
    numbers.push(BigInt.asIntN(64, number));
    [number, place] = [0n, 0n];
  }
  return numbers;
}
