/** What the store knows of a file, and where its bytes are stored: OPFS, memory, or a disk in Node. @module */

/** Bytes of a part, unless a pack says otherwise: what is lost of a part when storage holds only whole ones. */
export const PART_BYTES = 8 * 2 ** 20;

/** Where a file is in the store: its model's folder (a URL), and its name there. */
export interface FileLocation {
  model: string;
  file: string;
}

/** Stored beside the bytes. Plain data. */
export interface FileMetadata extends FileLocation {
  url: string;
  /** `absent`: the server said that there is no such file. */
  state: 'partial' | 'complete' | 'absent';
  /** Of a file that is absent: what the server answered, and whether it sent a page in its place. */
  absence?: { httpStatus: number; isPage: boolean };
  /** When a server said so, in Unix milliseconds; undefined: not the source's own server did. */
  absentSince?: number | undefined;
  /** Undefined until the server has told. */
  size: number | undefined;
  partBytes: number;
  etag: string | undefined;
  /** Of the server's `last-modified`. */
  modified: string | undefined;
  contentType: string | undefined;
  /** SHA-256 of each part, once it was read back from storage. */
  hashes: (string | null)[];
  /** Of the whole file, when it was computed. */
  sha256?: string;
  /** The content was compared with a hash that its source states. */
  verified: boolean;
  /** A person picked it: it is what the model runs on, whatever its source has, until it is removed or picked again. */
  picked?: boolean;
  /** What an engine found out about the content, by question. A file that is fetched again has none. */
  facts?: Record<string, boolean>;
}

/** A file in the store, as found. */
export interface FileStatus {
  metadata: FileMetadata;
  /** Bytes that are there. */
  bytes: number;
  /** Where the last of them ends, which is what a browser counts: parts before it may be missing. Default: `bytes`. */
  extent?: number;
  /** The bytes have not changed since they were complete. Always false before. */
  untouched: boolean;
}

/** What a model's folder in the store says of itself. */
export interface ModelNote {
  model: string;
  /** The files that its last load or download asked for. */
  wanted: string[];
  /** Unix milliseconds. */
  lastUsed: number;
}

/** Metadata for a file of which nothing is known yet. */
export function newMetadata(location: FileLocation, url: string, partBytes: number = PART_BYTES): FileMetadata {
  return {
    ...location,
    url,
    state: 'partial',
    size: undefined,
    partBytes,
    etag: undefined,
    modified: undefined,
    contentType: undefined,
    hashes: [],
    verified: false,
  };
}

/** Parts of a file of known size; an empty file has none. */
export function countParts({ size = 0, partBytes }: Pick<FileMetadata, 'size' | 'partBytes'>): number {
  return Math.ceil(size / partBytes);
}

/** Bytes of one part of a file of known size. */
export function lengthOfPart({ size = 0, partBytes }: Pick<FileMetadata, 'size' | 'partBytes'>, part: number): number {
  return Math.min(partBytes, size - part * partBytes);
}

/**
 * How much of each part is there.
 * @param noted of each part; it is written after the bytes, so more than the bytes is someone else's
 * @param size of what holds the bytes
 */
export function clampPartLengths(noted: Iterable<number>, partBytes: number, size: number): number[] {
  return Array.from(noted, (length, part) => Math.max(0, Math.min(length, partBytes, size - part * partBytes)));
}

/**
 * What is there of a file that is not complete: several connections fill its parts at a time.
 * @param size of what holds the bytes
 */
export function partialStatus(metadata: FileMetadata, partLengths: readonly number[], size: number): FileStatus {
  const bytes = partLengths.reduce((sum, length) => sum + length, 0);
  return { metadata, bytes, extent: size, untouched: false };
}

/** Reads what was stored; undefined for anything that is not valid metadata. */
export function parseMetadata(text: string): FileMetadata | undefined {
  try {
    const metadata = JSON.parse(text) as FileMetadata;
    const whole = typeof metadata.file === 'string' && metadata.partBytes > 0 && Array.isArray(metadata.hashes);
    return whole ? metadata : undefined;
  } catch {
    return undefined;
  }
}

/** What a source states of a file. */
export interface ExpectedFile {
  bytes?: number;
  /** 64 hexadecimal digits. */
  sha256?: string;
  /** Git's name for the content (see {@link gitBlobName}): what the hub states of small files. */
  gitBlob?: string;
  /** Bytes of a part: of those with a hash, and of those that are files of their own. */
  partBytes?: number;
  /** SHA-256 of each part. */
  parts?: readonly string[];
  /** Each part is a file of its own: `<url>.0`, `<url>.1`. */
  split?: boolean;
}

export interface WantedFile extends FileLocation {
  url: string;
  expected?: ExpectedFile | undefined;
}

/** The source states what the content must be. */
export function statesContent(expected: ExpectedFile | undefined): boolean {
  return expected?.sha256 !== undefined || expected?.gitBlob !== undefined || expected?.parts !== undefined;
}

/** URL of a file, which may be named by its URL already. @param query behind the names of files, with its question mark */
export function fileURLOf(
  file: string,
  { folder, query = '' }: { folder: string; query?: string | undefined },
): string {
  return new URL(file, folder).href + query;
}

/** URL of a part that is a file of its own. */
export function partFileOf(file: string, part: number): string {
  const [path, query] = file.split(/(?=\?)/, 2);
  return `${path}.${part}${query ?? ''}`;
}

/** Texts are small, and servers compress them unless they are asked for ranges. */
export function isSmallName(file: string): boolean {
  return /\.(json|txt|jinja)$/.test(file);
}

/** Reads the bytes of a file from `from` to before `to`. Rejects once it is another. */
export type ReadStored = (from: number, to: number) => Promise<Uint8Array<ArrayBuffer>>;

/** Keeps files in parts, so that what was received stays whatever happens next. */
export interface ByteStorage {
  /** Bytes that can really be written, at most so many: what a browser says beforehand may be wrong. Absent: nobody knows. */
  room?(most: number): Promise<number>;
  /** What is there outlives this realm. */
  readonly lasting: boolean;
  /** Undefined when there is nothing that can be used. */
  find(location: FileLocation): Promise<FileStatus | undefined>;
  /** Opens a file for writing and makes it when there is none. The caller holds its lock. */
  open(location: FileLocation): Promise<OpenFile>;
  /** The content of a complete file in one buffer, of which there is no other copy. */
  readAll(location: FileLocation, onBytes: (loaded: number, total: number) => void): Promise<Uint8Array<ArrayBuffer>>;
  /** A part of a complete file. */
  readPart(file: FileStatus, part: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Reads a complete file at any place, as long as it is as it is now. Absent: what is there is in memory. */
  openRange?(file: FileStatus): Promise<ReadStored>;
  /** Saves what became known of a complete file, and that its bytes are right as they are. */
  accept(file: FileStatus): Promise<void>;
  remove(location: FileLocation): Promise<void>;
  /** Everything that is stored. */
  list(): Promise<{ note: ModelNote; files: FileStatus[] }[]>;
  saveNote(note: ModelNote): Promise<void>;
  removeModel(model: string): Promise<void>;
}

/** A file that is being written. */
export interface OpenFile {
  /** As it was saved last. */
  readonly metadata: FileMetadata | undefined;
  /** Bytes from the start of each part that are stored; absent ones are 0. */
  readonly partLengths: readonly number[];
  /** Starts over: no bytes, this metadata. */
  reset(metadata: FileMetadata): Promise<void>;
  save(metadata: FileMetadata): Promise<void>;
  /** Appends to a part: `partLengths` grows. Rejects with `QuotaExceededError` when there is no room. */
  append(part: number, bytes: Uint8Array): Promise<void>;
  /** Forgets a part: `partLengths` is 0 there. */
  drop(part: number): Promise<void>;
  /** All stored bytes of a part. */
  read(part: number): Promise<Uint8Array<ArrayBuffer>>;
  /** All parts are there: saves the metadata and closes. */
  finish(metadata: FileMetadata): Promise<void>;
  close(): Promise<void>;
}
