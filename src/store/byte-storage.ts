/** Where the bytes of model files are kept. One interface over OPFS, the Cache API, memory, and a disk in Node. @module */
import type { FilePlace, FileRecord, KeptFile, ModelNote } from './file-record.js';

/** Keeps files in parts, so that what was received stays whatever happens next. */
export interface ByteStorage {
  /** What is there outlives this realm. */
  readonly lasting: boolean;
  /** `untouched` of a complete file means that nobody changed its bytes; else only that their number is right. */
  tellsChanges(): Promise<boolean>;
  /** Undefined when there is nothing that can be used. */
  find(place: FilePlace): Promise<KeptFile | undefined>;
  /** Opens a file for writing and makes it when there is none. The caller holds its lock. */
  open(place: FilePlace): Promise<OpenFile>;
  /** The content of a complete file in one buffer, of which there is no other copy. */
  readAll(place: FilePlace, onBytes: (loaded: number, total: number) => void): Promise<Uint8Array<ArrayBuffer>>;
  /** A part of a complete file. */
  readPart(kept: KeptFile, part: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Saves what became known of a complete file, and that its bytes are right as they are. */
  accept(kept: KeptFile): Promise<void>;
  remove(place: FilePlace): Promise<void>;
  /** Everything that is kept. */
  list(): Promise<{ note: ModelNote; files: KeptFile[] }[]>;
  note(model: string): Promise<ModelNote | undefined>;
  saveNote(note: ModelNote): Promise<void>;
  removeModel(model: string): Promise<void>;
}

/** A file that is being written. */
export interface OpenFile {
  /** As it was saved last. */
  readonly record: FileRecord | undefined;
  /** Bytes from the start of each part that are kept; absent ones are 0. */
  readonly kept: readonly number[];
  /** Starts over: no bytes, this record. */
  reset(record: FileRecord): Promise<void>;
  save(record: FileRecord): Promise<void>;
  /** Appends to a part: `kept` grows. Rejects with `QuotaExceededError` when there is no room. */
  append(part: number, bytes: Uint8Array): Promise<void>;
  /** Forgets a part: `kept` is 0. */
  drop(part: number): Promise<void>;
  /** All kept bytes of a part. */
  read(part: number): Promise<Uint8Array<ArrayBuffer>>;
  /** All parts are there: saves the record and closes. */
  finish(record: FileRecord): Promise<void>;
  close(): Promise<void>;
}
