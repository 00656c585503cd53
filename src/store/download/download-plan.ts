/**
 * Decides what a download asks for next and where the bytes belong, from what is stored and what the server can do. No I/O:
 * `file-download.ts` does what is decided here.
 * @module
 */
import { MAX_CONNECTIONS } from './connections.js';
import { isPlausible } from './file-limits.js';
import {
  countParts,
  type ExpectedFile,
  type FileMetadata,
  isSmallName,
  lengthOfPart,
  PART_BYTES,
  type WantedFile,
} from '../storage/byte-storage.js';

/** Attempts in a row that brought next to nothing, after which a file is abandoned. */
const MAX_FAILURES = 6;
/** The same before the model's first byte: then the address is wrong more often than the network is down. */
const MAX_FIRST_FAILURES = 3;

/** Bytes that an attempt must bring to count as one that went on: a server may send some and stall, again and again. */
const MIN_PROGRESS_BYTES = 64 * 2 ** 10;

const FIRST_RETRY_DELAY_MS = 500;
const MAX_RETRY_DELAY_MS = 30_000;
/** A longer wait that a server asks for is not granted: the person in front of the page does not wait either. */
const MAX_RETRY_AFTER_MS = 120_000;

/** Bytes that one request asks for at most: a broken one costs no more than what was on its way anyway. */
const MAX_RANGE_BYTES = 64 * 2 ** 20;
/** Bytes of the first request for a file whose size is unknown. */
const FIRST_RANGE_BYTES = 2 * PART_BYTES;

/** Consecutive parts that one request brings. */
export interface PartRange {
  first: number;
  /** After the last. */
  end: number;
}

/** Bytes of the file, or of the part that is a file of its own, that a request asks for; both are included. */
export interface ByteRange {
  from: number;
  to: number;
}

/** Bytes of a part that are not stored yet. */
export interface ByteSpan {
  part: number;
  bytes: Uint8Array;
}

/** What was received so far; an `OpenFile` is one. */
export interface Received {
  readonly metadata: FileMetadata | undefined;
  /** Bytes from the start of each part. */
  readonly partLengths: readonly number[];
}

/** What is stored is the beginning of what is wanted. */
export function canResume(metadata: FileMetadata | undefined, { url, expected }: WantedFile): boolean {
  if (metadata?.state !== 'partial' || metadata.url !== url) return false;
  if (metadata.partBytes !== (expected?.partBytes ?? PART_BYTES)) return false;
  if (metadata.size === undefined) return true;
  return isPlausible(metadata.size) && (expected?.bytes === undefined || metadata.size === expected.bytes);
}

/** Failures in a row after another one. @param gained bytes that this attempt brought */
export function countFailures(before: number, gained: number): number {
  return gained >= MIN_PROGRESS_BYTES ? 1 : before + 1;
}

/** What to do after an attempt that failed. */
export type NextAttempt = { after: 'network' } | { after: 'pause'; milliseconds: number } | { after: 'never' };

/**
 * When another attempt makes sense.
 * @param failures attempts in a row that brought next to nothing, at least 1
 * @param hasReceived the network has brought something since the model's load began
 * @param retryAfter milliseconds that the server asks to wait
 */
export function nextAttempt(state: {
  failures: number;
  hasReceived: boolean;
  isOffline: boolean;
  retryAfter?: number | undefined;
}): NextAttempt {
  const { failures, hasReceived, isOffline, retryAfter = 0 } = state;
  if (isOffline) return { after: hasReceived ? 'network' : 'never' };
  if (failures >= (hasReceived ? MAX_FAILURES : MAX_FIRST_FAILURES)) return { after: 'never' };
  const pause = Math.min(MAX_RETRY_DELAY_MS, FIRST_RETRY_DELAY_MS * 2 ** (failures - 1));
  return { after: 'pause', milliseconds: Math.max(pause, Math.min(MAX_RETRY_AFTER_MS, retryAfter)) };
}

/** The requests of one download. Several connections ask it for work at the same time. */
export class DownloadPlan {
  readonly #received: Received;
  readonly #expected: ExpectedFile;
  readonly #claimed = new Set<number>();
  /** The server sends parts of this file; undefined until it has answered. */
  ranges: boolean | undefined;

  constructor(received: Received, { file, expected = {} }: Pick<WantedFile, 'file' | 'expected'>) {
    this.#received = received;
    this.#expected = expected;
    // Servers compress texts unless they are asked for ranges.
    if (isSmallName(file) && received.partLengths.length === 0) this.ranges = false;
  }

  /** The size is known and every part is whole. */
  get isComplete(): boolean {
    const metadata = this.#metadata;
    if (metadata.size === undefined) return false;
    return Array.from({ length: countParts(metadata) }, (_, part) => part).every((part) => this.isWhole(part));
  }

  isWhole(part: number): boolean {
    const stored = this.#storedLength(part);
    const metadata = this.#metadata;
    return metadata.size === undefined
      ? stored === metadata.partBytes
      : stored > 0 && stored === lengthOfPart(metadata, part);
  }

  /** More is stored of a part than the file has: it is another file's. */
  get isTooLong(): boolean {
    const metadata = this.#metadata;
    const lengths = this.#received.partLengths;
    return (
      metadata.size !== undefined && lengths.some((length, part) => length > Math.max(0, lengthOfPart(metadata, part)))
    );
  }

  /** Nothing of the run is missing. */
  isFetched({ first, end }: PartRange): boolean {
    const count = this.#metadata.size === undefined ? end : countParts(this.#metadata);
    for (let part = first; part < Math.min(end, count); part++) if (!this.isWhole(part)) return false;
    return true;
  }

  /** Bytes of the file as the server says, or else its source; undefined: not known yet. */
  get total(): number | undefined {
    return this.#metadata.size ?? this.#expected.bytes;
  }

  /** Bytes that are stored. */
  get loaded(): number {
    return this.#received.partLengths.reduce((sum, length) => sum + (length ?? 0), 0);
  }

  /** Bytes of a run that are stored. */
  storedBytes({ first, end }: PartRange): number {
    return this.#received.partLengths.slice(first, end).reduce((sum, length) => sum + (length ?? 0), 0);
  }

  /** More than one connection can fetch. */
  get canShare(): boolean {
    return this.ranges === true || this.#expected.split === true;
  }

  /** Takes the next parts that no connection fetches. Without ranges one connection brings all. */
  claim(): PartRange | undefined {
    const metadata = this.#metadata;
    const { size, partBytes } = metadata;
    if (size === undefined && this.#claimed.size > 0) return undefined;
    const count = size === undefined ? Math.ceil(FIRST_RANGE_BYTES / partBytes) : countParts(metadata);
    const last = size === undefined ? Infinity : count;
    let first = 0;
    while (first < last && !this.#isFree(first)) first++;
    if (first >= last) return undefined;
    const most = this.#mostParts();
    let end = first + 1;
    // A part of which something is stored begins a run of its own, since a run's bytes come in one piece.
    while (end < count && end < first + most && this.#isFree(end) && !this.#storedLength(end)) end++;
    for (let part = first; part < end; part++) this.#claimed.add(part);
    return { first, end };
  }

  /** Gives a run back, fetched or not. */
  release({ first, end }: PartRange): void {
    for (let part = first; part < end; part++) this.#claimed.delete(part);
  }

  /** Where the file that a run is asked of begins: a part can be a file of its own. */
  baseOf({ first }: PartRange): number {
    return this.#expected.split ? first * this.#metadata.partBytes : 0;
  }

  /** The bytes to ask for, counted from the run's base; undefined: all of them. */
  rangeOf(run: PartRange): ByteRange | undefined {
    const { size, partBytes } = this.#metadata;
    const base = this.baseOf(run);
    const from = run.first * partBytes + this.#storedLength(run.first) - base;
    const end = Math.min(run.end * partBytes, size ?? Infinity) - base;
    const isAll = from === 0 && (this.#expected.split || end === size);
    return this.ranges === false || isAll ? undefined : { from, to: end - 1 };
  }

  /** The end of what an answer brings, as a place in the file. Infinity: unknown. @param isPartial it is the range */
  endOf(run: PartRange, range: ByteRange | undefined, isPartial: boolean): number {
    const metadata = this.#metadata;
    const whole = this.#expected.split ? lengthOfPart(metadata, run.first) : (metadata.size ?? Infinity);
    return this.baseOf(run) + (range && isPartial ? Math.min(range.to + 1, whole) : whole);
  }

  /** Those of these bytes that are not stored yet, part by part. @param start their offset in the file */
  *missingSpans(start: number, bytes: Uint8Array): Generator<ByteSpan> {
    const { partBytes } = this.#metadata;
    for (let offset = 0; offset < bytes.length;) {
      const position = start + offset;
      const part = Math.floor(position / partBytes);
      const inPart = position - part * partBytes;
      const piece = bytes.subarray(offset, offset + partBytes - inPart);
      const known = this.#storedLength(part) - inPart;
      if (known < piece.length) yield { part, bytes: piece.subarray(known) };
      offset += piece.length;
    }
  }

  get #metadata(): FileMetadata {
    return this.#received.metadata!;
  }

  #storedLength(part: number): number {
    return this.#received.partLengths[part] ?? 0;
  }

  #isFree(part: number): boolean {
    return !this.isWhole(part) && !this.#claimed.has(part);
  }

  /** Parts of a run: a share of what is missing for each connection. */
  #mostParts(): number {
    const { size, partBytes } = this.#metadata;
    if (this.#expected.split) return 1;
    const missing = (size ?? 0) - this.loaded;
    const share = Math.max(partBytes, Math.min(MAX_RANGE_BYTES, Math.ceil(missing / MAX_CONNECTIONS)));
    return Math.max(1, Math.floor((size === undefined ? FIRST_RANGE_BYTES : share) / partBytes));
  }
}
