/** What is known of a file in the cache, beside its bytes. @module */
import { existsSync, statSync } from 'node:fs';
import {
  clampPartLengths,
  countParts,
  type FileMetadata,
  lengthOfPart,
  parseMetadata,
} from '../../store/storage/byte-storage.js';
import { readJson, readWhole, writeWhole } from './disk-files.js';

/** What is known of a file, its bytes until it is whole, and how much of each part is there. */
export const [RECORD, BYTES, PARTS] = ['.record', '.bytes', '.parts'] as const;

/** A file's metadata on the disk, and by what it is seen whether its bytes have changed. */
export interface FileRecord {
  metadata: FileMetadata;
  /** Of the file when it was whole. */
  modifiedMs?: number;
  /** The run that has compared its hashes last. */
  checkedBy?: string;
}

/** Where a file is. */
export interface Place {
  /** Its path when it is whole. */
  whole: string;
  /** The beginning of the paths of what is known of it. */
  known: string;
}

/** How much of each part is there. */
export function readPartLengths({ whole, known }: Place, metadata: FileMetadata | undefined): number[] {
  if (metadata?.state === 'complete')
    return Array.from({ length: countParts(metadata) }, (_, part) => lengthOfPart(metadata, part));
  if (!existsSync(known + PARTS)) return [];
  const noted = readWhole(known + PARTS);
  const words = new Uint32Array(noted.buffer, 0, noted.length >> 2);
  // A process that was killed just before it noted that the file is whole.
  const path = existsSync(known + BYTES) ? known + BYTES : whole;
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return clampPartLengths(words, metadata?.partBytes ?? 0, size);
}

/** When a file that is whole was written last. */
export function whenWhole({ whole }: Place): Pick<FileRecord, 'modifiedMs'> {
  const stat = statSync(whole, { throwIfNoEntry: false });
  return stat ? { modifiedMs: Math.round(stat.mtimeMs) } : {};
}

/** Undefined: nothing that can be used. */
export function readRecord(path: string): FileRecord | undefined {
  const record = readJson(path) as FileRecord | undefined;
  const metadata = record && parseMetadata(JSON.stringify(record.metadata));
  return metadata && { ...record, metadata };
}

export function saveRecord({ known }: Place, record: FileRecord): void {
  writeWhole(known + RECORD, JSON.stringify(record));
}
