/** Edits of the graph in an ONNX file. @module */
import { type Edit, type Field, lengthPrefix, type ProtobufMessage, sizeOf } from './protobuf.js';

/** Field numbers of ONNX's messages. */
export const MODEL = { graph: 7 };
export const GRAPH = { node: 1, weight: 5, input: 11, output: 12, value: 13 };
export const TENSOR = { dimension: 1, type: 2, name: 8, data: 9 };

/** Replaces a field. */
export const replaced = ({ from, end }: Field, pieces: ProtobufMessage): Edit => ({ from, to: end, pieces });

/**
 * The edits of a graph in the order of their places, with that of the graph's length.
 * @param edits inside the graph, which may be in any order
 * @param added put at its end
 */
export function graphEdits({ from, start, end }: Field, edits: readonly Edit[], added: ProtobufMessage): Edit[] {
  const all = [...edits, { from: end, to: end, pieces: added }];
  const grown = all.reduce((sum, edit) => sum + sizeOf(edit.pieces) - (edit.to - edit.from), 0);
  const length = lengthPrefix(MODEL.graph, end - start + grown);
  return [{ from, to: start, pieces: length }, ...all.toSorted((a, b) => a.from - b.from)];
}
