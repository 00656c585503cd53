/** Reads what a server says about a file and about the part of it that it sends. @module */
import { isPlausible } from './file-limits.js';
import { FileChanged, Interrupted, RangeIgnored } from './file-errors.js';
import type { FileMetadata } from '../storage/byte-storage.js';

/** What a response holds. */
export interface FilePiece {
  /** The file's bytes begin here in the response's body. */
  start: number;
  /** Bytes of the whole file; undefined when the server does not say. */
  size: number | undefined;
  /** The server sends parts of this file. */
  ranges: boolean;
  etag: string | undefined;
  modified: string | undefined;
  contentType: string | undefined;
  /** SHA-256 that the hub states. */
  linkedSha256: string | undefined;
}

/** Statuses by which a server says that there is no such file for us; some hosts answer 403 for it. */
const ABSENT = [401, 403, 404, 410];

/** Why the file is not there; undefined when it is. Development servers answer with their start page then. */
export function absenceOf(response: Response, file: string): FileMetadata['absence'] {
  const isPage = response.ok && !file.endsWith('.html') && contentTypeOf(response) === 'text/html';
  return isPage || ABSENT.includes(response.status) ? { httpStatus: response.status, isPage } : undefined;
}

/**
 * Reads the head of a response.
 * @param asked first byte of the range that was asked for; undefined: the whole file was
 * @throws Interrupted when it is worth another attempt, RangeIgnored when the range cannot be trusted
 */
export function readHead(response: Response, asked: number | undefined): FilePiece {
  const { status, headers } = response;
  if (isTransient(status) || ![200, 206, 416].includes(status)) {
    throw interruptedBy(response);
  }
  const facts = {
    etag: etagOf(response),
    modified: headers.get('last-modified') ?? undefined,
    contentType: contentTypeOf(response),
    linkedSha256: /^"?([\da-f]{64})"?$/.exec(headers.get('x-linked-etag') ?? '')?.[1],
  };
  if (status === 206) {
    const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get('content-range') ?? '');
    const [start, last, size] = range?.slice(1).map(Number) ?? [];
    if (start === undefined || start !== asked || !isPlausible(size!)) throw new RangeIgnored();
    // RFC 9110, 15.3.7: no file has a part behind its end. What is stored is of another, longer one.
    if (start >= size! || last! < start || last! >= size!) throw new FileChanged();
    return { ...facts, start: asked, size: size!, ranges: true };
  }
  // Nothing of an empty file can be sent as a range. A request for the whole file tells whether it is empty.
  if (status === 416 && asked === 0) throw new RangeIgnored();
  if (status === 416 && asked === undefined && headers.get('content-range')?.endsWith('/0')) {
    return { ...facts, start: 0, size: 0, ranges: true };
  }
  if (status === 416) throw new FileChanged();
  const ranges = asked === undefined && headers.get('accept-ranges') === 'bytes';
  return { ...facts, start: 0, size: sizeOf(response), ranges };
}

/** The error of a status that brings no file. */
export function interruptedBy(response: Response): Interrupted {
  const { status: httpStatus } = response;
  return new Interrupted(`The server answered ${httpStatus}.`, { httpStatus, retryAfter: retryAfterOf(response) });
}

/** Bytes of the file that is answered as a whole; undefined when the server does not say: an encoded body has another length. */
export function sizeOf(response: Response): number | undefined {
  const length = response.headers.get('content-length');
  return length === null || !isPlausible(Number(length)) || mayBeEncoded(response) ? undefined : Number(length);
}

/** Types that servers compress. */
const COMPRESSIBLE = /json|text|javascript|wasm|xml/;

/** Another origin's `content-encoding` is hidden from pages, while its `content-length` is not. */
function mayBeEncoded(response: Response): boolean {
  const isHidden = response.type === 'cors' && COMPRESSIBLE.test(contentTypeOf(response) ?? '');
  return isHidden || response.headers.has('content-encoding');
}

/** @throws FileChanged when the response is of another file than what is stored */
export function checkSame(metadata: FileMetadata, piece: FilePiece): void {
  const changed = <Value>(before: Value | undefined, now: Value | undefined): boolean =>
    before !== undefined && now !== undefined && before !== now;
  const other = changed(metadata.etag, piece.etag) || changed(metadata.size, piece.size);
  // Servers without entity tags have dates; with them a date may differ between two machines of one host.
  const newer = piece.etag === undefined && changed(metadata.modified, piece.modified);
  if (other || newer) throw new FileChanged();
}

/** The entity tag without what a server adds for a compressed body. */
export function etagOf({ headers }: Response): string | undefined {
  return headers
    .get('etag')
    ?.replace(/^W\//, '')
    .replace(/-(gzip|br|zstd)"$/, '"');
}

function contentTypeOf({ headers }: Response): string | undefined {
  return headers.get('content-type')?.split(';')[0]!.trim();
}

/** Milliseconds that a server asks to wait, from `Retry-After` in seconds or as a date. */
function retryAfterOf(response: Response): number | undefined {
  const header = response.headers.get('retry-after');
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const time = Date.parse(header);
  return Number.isNaN(time) ? undefined : Math.max(0, time - Date.now());
}

/** Whether a status says that another attempt can succeed. */
function isTransient(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}
