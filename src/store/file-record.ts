/** What the store knows of a file. @module */

/** Bytes of a part, unless a pack says otherwise: what is lost of a part when storage keeps only whole ones. */
export const PART_BYTES = 8 * 2 ** 20;

/** Where a file is in the store: its model's folder (a URL), and its name there. */
export interface FilePlace {
  model: string;
  file: string;
}

/** Kept beside the bytes. Plain data. */
export interface FileRecord extends FilePlace {
  url: string;
  /** `absent`: the server said that there is no such file. */
  state: 'partial' | 'complete' | 'absent';
  /** Of a file that is absent: what the server answered, and whether it sent a page in its place. */
  absence?: { httpStatus: number; isPage: boolean };
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
}

/** A file in the store, as found. */
export interface KeptFile {
  record: FileRecord;
  /** Bytes that are there. */
  bytes: number;
  /** Nobody changed the bytes since they were complete. Always false before. */
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

/** A record for a file of which nothing is known yet. */
export function newRecord(place: FilePlace, url: string, partBytes: number = PART_BYTES): FileRecord {
  return {
    ...place,
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
export function countParts({ size = 0, partBytes }: Pick<FileRecord, 'size' | 'partBytes'>): number {
  return Math.ceil(size / partBytes);
}

/** Bytes of one part of a file of known size. */
export function lengthOfPart({ size = 0, partBytes }: Pick<FileRecord, 'size' | 'partBytes'>, part: number): number {
  return Math.min(partBytes, size - part * partBytes);
}

/** Reads what was kept; undefined for anything that is no record of ours. */
export function parseRecord(text: string): FileRecord | undefined {
  try {
    const record = JSON.parse(text) as FileRecord;
    const whole = typeof record.file === 'string' && record.partBytes > 0 && Array.isArray(record.hashes);
    return whole ? record : undefined;
  } catch {
    return undefined;
  }
}
