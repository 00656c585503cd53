/** The records of files and vector stores, and the tables that hold them. @module */
import type { TableLayout, Tables, Transaction } from '../state/tables.js';

/** Files; vector stores, their members and batches; and what is counted of all of them. */
type FilesTable = 'files' | 'stores' | 'members' | 'batches' | 'sums';
export type FilesTables = Tables<FilesTable>;
export type FilesTransaction = Transaction<FilesTable>;
export type SizedTable = Exclude<FilesTable, 'sums'>;

export const FILE_TABLES: TableLayout<FilesTable> = {
  database: 'inpage-files',
  version: 1,
  names: ['files', 'stores', 'members', 'batches', 'sums'],
  withItems: [],
};

/** What every record has. */
interface Sized {
  id: string;
  /** Bytes that it counts: its own, and what lies beside it. */
  size: number;
  /** Later ones have higher numbers. */
  order: number;
  /** Unix seconds. */
  createdAt: number;
}

/** Bytes that are stored by a name. */
export interface StoredBytes {
  bytes: number;
  /** See `checksum`. */
  checksum: number;
}

export interface FileRecord extends Sized {
  filename: string;
  purpose: string;
  content: StoredBytes;
  /** Unix seconds. */
  expiresAt?: number;
  /** Its bytes are there: until then no one sees it. */
  isWritten: boolean;
  /** What was read from it, once it was. */
  text?: StoredBytes;
}

export type Metadata = Readonly<Record<string, string>>;
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface StoreRecord extends Sized {
  name: string;
  description: string | null;
  metadata: Metadata;
  /** Unix seconds. */
  lastActiveAt: number;
  /** Days without use after which it expires. */
  expiresAfterDays?: number;
  isExpired: boolean;
}

export type MemberStatus = 'in_progress' | 'completed' | 'cancelled' | 'failed';

/** In tokens of the model that embeds. */
export interface Chunking {
  max: number;
  overlap: number;
}

/** What became of indexing a file. */
export interface IndexFacts extends StoredBytes {
  /** Where the bytes are. */
  name: string;
  /** What has embedded it; empty: nothing, it has only words. */
  model: string;
  /** Of the text that its chunks are of. */
  text: number;
}

/** A file in a vector store; its id is the file's. */
export interface MemberRecord extends Sized {
  status: MemberStatus;
  /** It is being indexed: too late to cancel it. */
  hasBegun: boolean;
  /** Another one for each time that it is to be indexed. */
  job: string;
  error: { code: 'server_error' | 'unsupported_file' | 'invalid_file'; message: string } | null;
  attributes: Attributes;
  /** Undefined: as the model reads. */
  chunking: Chunking | undefined;
  /** What the chunking was, or will be. */
  chunks: Chunking;
  batch?: string;
  index?: IndexFacts;
}

export interface BatchRecord extends Sized {
  members: Readonly<Record<string, MemberStatus>>;
  isCancelled: boolean;
}

/** The record that a table has of this name. */
export interface RecordOf {
  files: FileRecord;
  stores: StoreRecord;
  members: MemberRecord;
  batches: BatchRecord;
}

/** Ids and owners have no line breaks. */
export function nameOf(owner: string, ...ids: readonly string[]): string {
  return [owner, ...ids].join('\n');
}

/** What the names of everything below it begin with. */
export function prefixOf(owner: string, ...ids: readonly string[]): string {
  return `${nameOf(owner, ...ids)}\n`;
}

export async function read<Table extends SizedTable>(
  transaction: FilesTransaction,
  table: Table,
  name: string,
): Promise<RecordOf[Table] | undefined> {
  return (await transaction.get(table, name)) as RecordOf[Table] | undefined;
}

/** Records with their names, the oldest first. */
export async function readAll<Table extends SizedTable>(
  transaction: FilesTransaction,
  table: Table,
  prefix = '',
): Promise<[name: string, record: RecordOf[Table]][]> {
  const found = (await transaction.all(table, prefix)) as [string, RecordOf[Table]][];
  return found.toSorted(([, one], [, other]) => one.order - other.order);
}

/** Tells bytes that were changed on the disk; whole words at a time, because it is computed with each reading. */
export function checksum(bytes: Uint8Array): number {
  const words = Math.floor(bytes.length / 4);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let state = 0x811c9dc5;
  const isAligned = bytes.byteOffset % 4 === 0;
  const aligned = isAligned ? new Uint32Array(bytes.buffer, bytes.byteOffset, words) : undefined;
  for (let at = 0; at < words; at++) {
    state = Math.imul(state ^ (aligned ? aligned[at]! : view.getUint32(at * 4, true)), 0x01000193);
    state ^= state >>> 15;
  }
  for (let at = words * 4; at < bytes.length; at++) state = Math.imul(state ^ bytes[at]!, 0x01000193);
  return (state ^ bytes.length) >>> 0;
}
