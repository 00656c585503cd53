/**
 * Reads, writes and edits protobuf messages of ONNX files. https://protobuf.dev/programming-guides/encoding/
 * @module
 */
/** Pieces of one message, to be written one after the other; large ones are never copied. */
export type ProtobufMessage = Uint8Array[];

/** A field and its place in the file, in bytes. */
export interface Field {
  number: number;
  /** Where its key begins. */
  from: number;
  /** Where its content begins. */
  start: number;
  /** Where it ends. */
  end: number;
  /** A whole number, not exact above 2^53; 0 for other types. */
  value: number;
}

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH = 2;
const FIXED_32 = 5;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The fields of the message between two places. @throws RangeError when it is none */
export function* fieldsOf(bytes: Uint8Array, start: number, end: number): Generator<Field> {
  let at = start;
  while (at < end) {
    const from = at;
    const key = readVarint(bytes, at, end);
    at = key.end;
    const wire = key.value % 8;
    let value = 0;
    if (wire === VARINT) ({ value, end: at } = readVarint(bytes, at, end));
    else if (wire === FIXED_64) at += 8;
    else if (wire === FIXED_32) at += 4;
    else if (wire === LENGTH) {
      const length = readVarint(bytes, at, end);
      at = length.end + length.value;
      if (at > end) break;
      yield { number: Math.floor(key.value / 8), from, start: length.end, end: at, value };
      continue;
    } else throw new RangeError('The file has a field of an unknown form.');
    if (at <= end) yield { number: Math.floor(key.value / 8), from, start: key.end, end: at, value };
  }
  if (at !== end) throw new RangeError('A field of the file ends behind its message.');
}

/** The last field with this number, which is the valid one; undefined when there is none. */
export function lastField(bytes: Uint8Array, start: number, end: number, number: number): Field | undefined {
  let found: Field | undefined;
  for (const field of fieldsOf(bytes, start, end)) if (field.number === number) found = field;
  return found;
}

/** The text of a field; empty without a field. */
export function textOf(bytes: Uint8Array, field: Field | undefined): string {
  return field ? decoder.decode(bytes.subarray(field.start, field.end)) : '';
}

/** Bytes of a message. */
export function sizeOf(message: ProtobufMessage): number {
  return message.reduce((sum, piece) => sum + piece.byteLength, 0);
}

/** A whole number. */
export function integer(field: number, value: number): ProtobufMessage {
  return [varint(field * 8 + VARINT), varint(value)];
}

/** A 32-bit float. */
export function float(field: number, value: number): ProtobufMessage {
  return [varint(field * 8 + FIXED_32), new Uint8Array(Float32Array.of(value).buffer)];
}

/** Text, bytes, or a message inside a message. */
export function bytes(field: number, value: string | ProtobufMessage): ProtobufMessage {
  const pieces = typeof value === 'string' ? [encoder.encode(value)] : value;
  return [...lengthPrefix(field, sizeOf(pieces)), ...pieces];
}

/** Key and length in front of the content of such a field. @param size of the content, in bytes */
export function lengthPrefix(field: number, size: number): ProtobufMessage {
  return [varint(field * 8 + LENGTH), varint(size)];
}

/** Negative numbers have the form of 64 bits. */
function varint(value: number): Uint8Array {
  const groups: number[] = [];
  let left = BigInt.asUintN(64, BigInt(value));
  while (left > 127n) {
    groups.push(Number(left % 128n) + 128);
    left /= 128n;
  }
  return Uint8Array.from([...groups, Number(left)]);
}

function readVarint(bytes: Uint8Array, start: number, end: number): { value: number; end: number } {
  let value = 0;
  for (let at = start, scale = 1; at < end; at++, scale *= 128) {
    value += (bytes[at]! % 128) * scale;
    if (bytes[at]! < 128) return { value, end: at + 1 };
  }
  throw new RangeError('The file ends inside a number.');
}

/** Replaces the bytes between two places. */
export interface Edit {
  from: number;
  to: number;
  pieces: ProtobufMessage;
}

/**
 * A new file with edits.
 * @param edits in the order of their places, without overlap
 */
export function spliceBytes(file: Uint8Array, edits: readonly Edit[]): Uint8Array<ArrayBuffer> {
  const pieces: ProtobufMessage = [];
  let at = 0;
  for (const edit of edits) {
    pieces.push(file.subarray(at, edit.from), ...edit.pieces);
    at = edit.to;
  }
  pieces.push(file.subarray(at));
  const spliced = new Uint8Array(sizeOf(pieces));
  let offset = 0;
  for (const piece of pieces) {
    spliced.set(piece, offset);
    offset += piece.length;
  }
  return spliced;
}
