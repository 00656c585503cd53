/** The few parts of protobuf's wire format that an ONNX file needs. */

/** Pieces of one message, to be written one after the other; large ones are never copied. */
export type Message = Uint8Array[];

const utf8 = new TextEncoder();

/** Bytes of a message. */
export function sizeOf(message: Message): number {
  return message.reduce((sum, piece) => sum + piece.byteLength, 0);
}

/** A whole number, not negative. */
export function integer(field: number, value: number): Message {
  return [varint(field * 8), varint(value)];
}

/** A 32-bit float. */
export function float(field: number, value: number): Message {
  return [varint(field * 8 + 5), new Uint8Array(Float32Array.of(value).buffer)];
}

/** Text, bytes, or a message inside a message. */
export function bytes(field: number, value: string | Message): Message {
  const pieces = typeof value === 'string' ? [utf8.encode(value)] : value;
  return [varint(field * 8 + 2), varint(sizeOf(pieces)), ...pieces];
}

function varint(value: number): Uint8Array {
  const groups: number[] = [];
  let left = value;
  while (left > 127) {
    groups.push((left % 128) + 128);
    left = Math.floor(left / 128);
  }
  return Uint8Array.from([...groups, left]);
}
