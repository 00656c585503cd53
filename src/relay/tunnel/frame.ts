/**
 * Messages of MessagePorts as bytes: JSON, and after it the bytes of their arrays. JSON alone is what every part of a
 * structured clone would be as text, several times as long.
 * @module
 */

/** A message of one port. */
export interface PortFrame {
  /** Which port; both ends know it by this number. */
  channel: number;
  /** Undefined, with {@link closed}: the port was closed. */
  value?: unknown;
  closed?: boolean;
  /** The numbers of the ports that come with it. */
  ports: readonly number[];
}

/** What JSON does not know, as an object with this key: what it is. An object that has the key itself is `plain`. */
const KIND = '$kind';

/** The arrays of bytes that a message may hold. */
const VIEWS = [
  Uint8Array,
  Int8Array,
  Uint8ClampedArray,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
] as const;

const HEAD_BYTES = 4;

/**
 * @param ports of the message, in the order of their numbers: what it holds of them is replaced by their places
 * @throws TypeError for what is no data that messages hold: functions, class instances with more than data
 */
export function encodeFrame(
  { channel, value, closed, ports: numbers }: PortFrame,
  ports: readonly unknown[] = [],
): Uint8Array<ArrayBuffer> {
  const binaries: Uint8Array[] = [];
  const plain = closed ? undefined : toPlain(value, { ports, binaries });
  const lengths = binaries.map(({ byteLength }) => byteLength);
  const head = new TextEncoder().encode(JSON.stringify({ channel, value: plain, closed, ports: numbers, lengths }));
  const total = lengths.reduce((sum, length) => sum + length, HEAD_BYTES + head.length);
  const frame = new Uint8Array(total);
  new DataView(frame.buffer).setUint32(0, head.length);
  frame.set(head, HEAD_BYTES);
  let offset = HEAD_BYTES + head.length;
  for (const binary of binaries) {
    frame.set(binary, offset);
    offset += binary.byteLength;
  }
  return frame;
}

/** A frame as it came. */
export interface ReceivedFrame extends PortFrame {
  /** The value, with these objects in the places of the ports, and the buffers that can be moved with it. */
  read(ports: readonly unknown[]): { value: unknown; buffers: ArrayBuffer[] };
}

interface WireHead extends PortFrame {
  lengths: number[];
}

/** @throws Error for what {@link encodeFrame} has not made */
export function decodeFrame(frame: Uint8Array): ReceivedFrame {
  const bytes = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const start = HEAD_BYTES + bytes.getUint32(0);
  const text = new TextDecoder().decode(frame.subarray(HEAD_BYTES, start));
  const { channel, value, closed = false, ports, lengths } = JSON.parse(text) as WireHead;
  return {
    channel,
    closed,
    ports,
    read(objects) {
      let offset = start;
      const buffers = lengths.map((length) => {
        const buffer = new Uint8Array(length);
        buffer.set(frame.subarray(offset, (offset += length)));
        return buffer.buffer;
      });
      return { value: fromPlain(value, { ports: objects, buffers }), buffers };
    },
  };
}

function toPlain(value: unknown, parts: { ports: readonly unknown[]; binaries: Uint8Array[] }): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : { [KIND]: 'number', text: Object.is(value, -0) ? '-0' : String(value) };
    case 'bigint':
      return { [KIND]: 'bigint', text: String(value) };
    case 'undefined':
      return { [KIND]: 'undefined' };
    case 'object':
      break;
    default:
      throw new TypeError(`A message cannot hold a ${typeof value}.`);
  }
  if (value === null) return null;
  if (Array.isArray(value)) return Array.from(value, (item) => toPlain(item, parts));
  const port = parts.ports.indexOf(value);
  if (port !== -1) return { [KIND]: 'port', index: port };
  if (value instanceof ArrayBuffer) {
    return { [KIND]: 'buffer', index: parts.binaries.push(new Uint8Array(value)) - 1 };
  }
  const view = VIEWS.findIndex((View) => value instanceof View);
  if (view !== -1) {
    const { buffer, byteOffset, byteLength } = value as Uint8Array;
    const index = parts.binaries.push(new Uint8Array(buffer, byteOffset, byteLength)) - 1;
    return { [KIND]: 'view', view, index };
  }
  if (!isPlain(value)) throw new TypeError(`A message cannot hold ${Object.prototype.toString.call(value)}.`);
  const entries = Object.entries(value).map(([key, item]) => [key, toPlain(item, parts)] as const);
  // Own properties, whatever their names: `__proto__` in a caller's schema is one like others.
  const plain = Object.fromEntries(entries);
  return Object.hasOwn(value, KIND) ? { [KIND]: 'plain', entries } : plain;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

type Tagged =
  | { [KIND]: 'number' | 'bigint'; text: string }
  | { [KIND]: 'undefined' }
  | { [KIND]: 'port' | 'buffer'; index: number }
  | { [KIND]: 'view'; view: number; index: number }
  | { [KIND]: 'plain'; entries: [string, unknown][] };

function fromPlain(value: unknown, parts: { ports: readonly unknown[]; buffers: ArrayBuffer[] }): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => fromPlain(item, parts));
  if (!Object.hasOwn(value, KIND)) return fromEntries(Object.entries(value), parts);
  const tagged = value as Tagged;
  switch (tagged[KIND]) {
    case 'undefined':
      return undefined;
    case 'number':
      return Number(tagged.text);
    case 'bigint':
      return BigInt(tagged.text);
    case 'port':
      return parts.ports[tagged.index];
    case 'buffer':
      return parts.buffers[tagged.index];
    case 'view':
      return new VIEWS[tagged.view]!(parts.buffers[tagged.index]!);
    case 'plain':
      return fromEntries(tagged.entries, parts);
  }
}

function fromEntries(
  entries: readonly [string, unknown][],
  parts: { ports: readonly unknown[]; buffers: ArrayBuffer[] },
): object {
  return Object.fromEntries(entries.map(([key, item]) => [key, fromPlain(item, parts)]));
}
