/**
 * Messages of calls as what every browser's extension messages can carry: JSON of a few hundred kilobytes. Bytes become
 * base64, and long messages several pieces.
 * @module
 */
import { InferenceError } from '../core/errors/inference-error.js';
import { decodeBase64, encodeBase64 } from '../core/media/base64.js';
import type { CalleeMessage, CallerMessage, RequestPayload, ResponseChunk } from '../relay/protocol.js';

/** A message of either direction. Only bodies of requests and chunks of responses have bytes. */
export type WireMessage = CallerMessage<unknown> | CalleeMessage<unknown>;

/** A part of a message. */
export interface WirePiece {
  /** Of its JSON. */
  text: string;
  /** Of its bytes, in base64. Undefined: none. */
  bytes?: string | undefined;
  /** Another piece follows. */
  more?: true | undefined;
}

/** Bytes, and characters of JSON, in one piece: far less than any browser's limit. */
export const PIECE_LENGTH = 2 ** 18;

/** The pieces of a message, in order. @throws TypeError for what is not JSON */
export function toPieces(message: WireMessage): WirePiece[] {
  const [plain, binaries] = withoutBytes(message);
  const text = JSON.stringify({ message: plain, lengths: binaries.map(({ byteLength }) => byteLength) });
  const texts = slices(text.length).map(([from, to]) => text.slice(from, to));
  const bytes = binaries.flatMap((binary) =>
    slices(binary.byteLength).map(([from, to]) => encodeBase64(binary.subarray(from, to))),
  );
  const count = Math.max(texts.length, bytes.length);
  return Array.from({ length: count }, (_, index) => ({
    text: texts[index] ?? '',
    bytes: bytes[index],
    more: index < count - 1 || undefined,
  }));
}

function slices(length: number): [from: number, to: number][] {
  const count = Math.ceil(length / PIECE_LENGTH);
  return Array.from({ length: count }, (_, index) => [index * PIECE_LENGTH, (index + 1) * PIECE_LENGTH]);
}

/** The message with `true` in place of its bytes, and those. */
function withoutBytes(message: WireMessage): [plain: unknown, binaries: Uint8Array[]] {
  if (message.type === 'open') {
    const payload = message.payload as Partial<RequestPayload>;
    const body = ofThisRealm(payload.body);
    if (!(body instanceof ArrayBuffer)) return [message, []];
    return [{ ...message, payload: { ...payload, body: true } }, [new Uint8Array(body)]];
  }
  if (!('items' in message)) return [message, []];
  const binaries: Uint8Array[] = [];
  const items = (message.items as (Partial<ResponseChunk> | null | undefined)[]).map((item) => {
    if (!(item?.bytes instanceof Uint8Array)) return item;
    binaries.push(item.bytes);
    return { ...item, bytes: true };
  });
  return [{ ...message, items }, binaries];
}

/**
 * Firefox's content scripts get the bytes of requests from the realm of their page: instances of no class here, and not to be read.
 * A copy is.
 */
function ofThisRealm(value: unknown): unknown {
  return typeof value === 'object' && !(value instanceof ArrayBuffer) ? structuredClone(value) : value;
}

/** Puts pieces together. */
export class PieceReader {
  #texts: string[] = [];
  #parts: Uint8Array[] = [];

  /** The message that this piece completes. @throws InferenceError `internal` for what is not a piece */
  read({ text, bytes, more }: WirePiece): WireMessage | undefined {
    this.#texts.push(text);
    if (bytes !== undefined) this.#parts.push(decodeBase64(bytes) ?? broken());
    if (more) return undefined;
    const { message, lengths } = JSON.parse(this.#texts.join('')) as { message: WireMessage; lengths: number[] };
    this.#texts = [];
    const parts = this.#parts.splice(0);
    return withBytes(
      message,
      lengths.map((length) => takeBytes(parts, length)),
    );
  }
}

function takeBytes(parts: Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let offset = 0; offset < length;) {
    const part = parts.shift() ?? broken();
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

function withBytes(message: WireMessage, binaries: Uint8Array<ArrayBuffer>[]): WireMessage {
  const [first] = binaries;
  if (!first) return message;
  if (message.type === 'open') return { ...message, payload: { ...(message.payload as object), body: first.buffer } };
  if (!('items' in message)) return message;
  const items = (message.items as ({ bytes?: unknown } | null)[]).map((item) =>
    item?.bytes === true ? { ...item, bytes: binaries.shift() } : item,
  );
  return { ...message, items };
}

function broken(): never {
  throw new InferenceError('internal', 'A message between two parts of the extension is broken.');
}
