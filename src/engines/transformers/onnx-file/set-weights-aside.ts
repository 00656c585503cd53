/**
 * Sets the large weights of an ONNX file aside while its graph is changed, so that they need not be moved. The changed
 * operators mostly fit in the place of the old ones.
 * @module
 */
import { GRAPH, graphEdits, MODEL, replaced, TENSOR } from './graph-edits.js';
import {
  bytes,
  type Edit,
  type Field,
  fieldsOf,
  lastField,
  type ProtobufMessage,
  sizeOf,
  spliceBytes,
  textOf,
} from './protobuf.js';

/** Smaller ones stay, in bytes. */
const LARGE = 1024;

/** Large weights by name, each as its field in the file. */
type WeightFields = ReadonlyMap<string, Field>;

/** What is set aside. */
interface Aside {
  weights: WeightFields;
  /** Large fields of the file beside its graph, as metadata. */
  others: readonly Field[];
}

/** A field number that no version of ONNX's graphs has used: readers pass over such fields. */
const UNUSED = 3;
/** Its key with that of a field with a length, one byte as those of the fields 1 to 15. */
const UNUSED_KEY = 8 * UNUSED + 2;
/** Bytes of a key and a length that is written in five bytes, however small it is. */
const PADDING_HEAD = 6;

/** Fields of an operator: its name, its description. */
const NOTES: ReadonlySet<number> = new Set([3, 6]);

/**
 * The file with large weights that have a name and dimensions only, and without other large fields.
 * @throws RangeError when it is damaged
 */
export function withoutWeights(file: Uint8Array<ArrayBuffer>): { rest: Uint8Array<ArrayBuffer>; aside: Aside } {
  const weights = new Map<string, Field>();
  const graph = lastField(file, 0, file.length, MODEL.graph);
  const edits: Edit[] = [];
  for (const field of graph ? fieldsOf(file, graph.start, graph.end) : []) {
    if (field.number !== GRAPH.weight || !isLarge(field)) continue;
    const parts = [...fieldsOf(file, field.start, field.end)];
    const name = nameOf(file, field);
    if (weights.has(name)) throw new RangeError('Two weights have the same name.');
    weights.set(name, field);
    const description = parts.filter(({ number }) => number === TENSOR.dimension || number === TENSOR.name);
    edits.push(
      replaced(
        field,
        bytes(
          GRAPH.weight,
          description.map((part) => contentOf(file, part)),
        ),
      ),
    );
  }
  if (!graph) return { rest: file, aside: { weights, others: [] } };
  const others = besideGraph(file, graph).filter(isLarge);
  const removed = others.map((field) => replaced(field, []));
  const all = [...graphEdits(graph, edits, []), ...removed].toSorted((a, b) => a.from - b.from);
  return { rest: spliceBytes(file, all), aside: { weights, others } };
}

const isLarge = ({ start, end }: Field): boolean => end - start >= LARGE;

/** The fields of a file but for its graph. */
const besideGraph = (file: Uint8Array, { from }: Field): Field[] =>
  [...fieldsOf(file, 0, file.length)].filter((field) => field.from !== from);

/**
 * A changed file with what was set aside.
 * @param changed what {@link withoutWeights} gave, with another graph
 * @param file with the weights; must not be used afterwards
 */
export function withWeights(
  changed: Uint8Array<ArrayBuffer>,
  file: Uint8Array<ArrayBuffer>,
  { weights, others }: Aside,
): Uint8Array<ArrayBuffer> {
  if (fitIn(changed, file, { weights, others })) return file;
  const graph = lastField(changed, 0, changed.length, MODEL.graph)!;
  const edits: Edit[] = [];
  for (const field of fieldsOf(changed, graph.start, graph.end)) {
    const weight = weightOf(changed, field, weights);
    if (weight) edits.push(replaced(field, [contentOf(file, weight)]));
  }
  const end = { from: changed.length, to: changed.length, pieces: others.map((field) => contentOf(file, field)) };
  const whole = spliceBytes(changed, [...graphEdits(graph, edits, []), end]);
  const { buffer } = file;
  // Frees the old file at once (Chrome 114, Firefox 122, Safari 17.4).
  if (file.byteLength === buffer.byteLength && typeof buffer.transfer === 'function') buffer.transfer(0);
  return whole;
}

/**
 * Writes a changed graph into the file, in front of its first large weight. What stands behind it and is not part of the
 * new graph is hidden.
 * @returns false, and the file is as it was, where that has no room, or more than the graph was changed
 */
function fitIn(changed: Uint8Array, file: Uint8Array, { weights, others }: Aside): boolean {
  const [before, after] = [file, changed].map((each) => lastField(each, 0, each.length, MODEL.graph)!) as [
    Field,
    Field,
  ];
  const around = (each: Uint8Array, graph: Field): string =>
    besideGraph(each, graph)
      .filter(({ from }) => each !== file || others.every((other) => other.from !== from))
      .map(({ from, end }) => text(each, from, end))
      .join(' ');
  if (weights.size === 0) return false;
  if (around(file, before) !== around(changed, after)) return false;
  const end = Math.min(...[...weights.values()].map(({ from }) => from));
  const room = end - before.start;
  const behind = new Map<string, Field>();
  for (const field of end < before.end ? fieldsOf(file, end, before.end) : []) {
    if (!isAside(field, weights, file)) behind.set(text(file, field.from, field.end), field);
  }
  let content: ProtobufMessage = [];
  for (const field of fieldsOf(changed, after.start, after.end)) {
    if (weightOf(changed, field, weights)) continue;
    // Operators stay together, in their order.
    const stays = field.number !== GRAPH.node && behind.delete(text(changed, field.from, field.end));
    if (!stays) content.push(contentOf(changed, field));
  }
  if (room - sizeOf(content) < PADDING_HEAD) content = content.map(withoutNotes);
  const left = room - sizeOf(content);
  const hidden = [...behind.values()];
  if (left < PADDING_HEAD || hidden.some((field) => !canBeHidden(file, field))) return false;
  let at = before.start;
  for (const piece of content) {
    file.set(piece, at);
    at += piece.length;
  }
  file.set(paddingHead(left - PADDING_HEAD), at);
  for (const { from } of hidden) file[from] = UNUSED_KEY;
  return true;
}

/** A field of the graph without what is for human readers: the name and the description of an operator. */
function withoutNotes(field: Uint8Array): Uint8Array {
  const [{ number, start, end }] = [...fieldsOf(field, 0, field.length)] as [Field];
  if (number !== GRAPH.node) return field;
  const parts = [...fieldsOf(field, start, end)].filter((part) => !NOTES.has(part.number));
  const pieces = bytes(
    GRAPH.node,
    parts.map((part) => contentOf(field, part)),
  );
  return spliceBytes(new Uint8Array(), [{ from: 0, to: 0, pieces }]);
}

/** The key, and the length in five bytes of which all but the last say that another one follows. */
function paddingHead(length: number): number[] {
  const groups = [0, 7, 14, 21].map((bits) => ((length >>> bits) & 127) | 128);
  return [UNUSED_KEY, ...groups, length >>> 28];
}

/** Its key is one byte, and it has a length. */
const canBeHidden = (file: Uint8Array, { from }: Field): boolean => file[from]! < 128 && file[from]! % 8 === 2;

/** The large weight that a field stands for. */
function weightOf(changed: Uint8Array, field: Field, weights: WeightFields): Field | undefined {
  return field.number === GRAPH.weight ? weights.get(nameOf(changed, field)) : undefined;
}

function isAside(field: Field, weights: WeightFields, file: Uint8Array): boolean {
  return field.number === GRAPH.weight && weights.has(nameOf(file, field));
}

function nameOf(file: Uint8Array, { start, end }: Field): string {
  return textOf(file, lastField(file, start, end, TENSOR.name));
}

/** With key and length. */
const contentOf = (file: Uint8Array, { from, end }: Field): Uint8Array => file.subarray(from, end);

const decoder = new TextDecoder('latin1');
const text = (file: Uint8Array, from: number, end: number): string => decoder.decode(file.subarray(from, end));
