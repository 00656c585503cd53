/** Reads the records of vector stores, and says what is not there. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import {
  type Attributes,
  type BatchRecord,
  type Chunking,
  type FilesTransaction,
  type MemberRecord,
  type Metadata,
  read,
  readAll,
  type StoreRecord,
} from './records.js';
import { expiryOf } from './removal.js';
import { unknownFile } from './unknown-file.js';

/** What a client says of a store. */
export interface StoreFields {
  name?: string | undefined;
  description?: string | undefined;
  metadata?: Metadata | undefined;
  /** Null: it does not expire any more. */
  expiresAfterDays?: number | null | undefined;
}

/** A file that is to be in a store. */
export interface NewMember {
  file: string;
  attributes: Attributes;
  /** Undefined: as the model reads. */
  chunking: Chunking | undefined;
  /** Where the body names it. */
  param: string;
}

export type FileCounts = Record<MemberRecord['status'] | 'total', number>;

/** A store, and what its files are. */
export interface StoreFacts {
  store: StoreRecord;
  counts: FileCounts;
  usageBytes: number;
  /** Unix seconds. */
  expiresAt: number | undefined;
}

export async function requireStore(
  transaction: FilesTransaction,
  name: string,
  param = 'vector_store_id',
): Promise<StoreRecord> {
  const store = await read(transaction, 'stores', name);
  if (!store) throw unknownStore(name.slice(name.lastIndexOf('\n') + 1), param);
  return store;
}

export async function requireMember(transaction: FilesTransaction, name: string): Promise<MemberRecord> {
  const member = await read(transaction, 'members', name);
  if (!member) throw unknownFile(name.slice(name.lastIndexOf('\n') + 1), 'file_id');
  return member;
}

export async function requireBatch(transaction: FilesTransaction, name: string): Promise<BatchRecord> {
  const batch = await read(transaction, 'batches', name);
  if (batch) return batch;
  const id = name.slice(name.lastIndexOf('\n') + 1, 200);
  throw new InferenceError('not_found', `There is no batch \`${id}\` here.`, { param: 'batch_id' });
}

export function unknownStore(id: string, param: string): InferenceError {
  return new InferenceError('not_found', `There is no vector store \`${id.slice(0, 100)}\` here.`, { param });
}

export async function readFacts(transaction: FilesTransaction, name: string): Promise<StoreFacts | undefined> {
  const store = await read(transaction, 'stores', name);
  if (!store) return undefined;
  const members = (await readAll(transaction, 'members', `${name}\n`)).map(([, member]) => member);
  const usageBytes = members.reduce((sum, { index }) => sum + (index?.bytes ?? 0), 0);
  return { store, counts: countFiles(members.map(({ status }) => status)), usageBytes, expiresAt: expiryOf(store) };
}

export function countFiles(statuses: readonly MemberRecord['status'][]): FileCounts {
  const counts: FileCounts = { in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: statuses.length };
  for (const status of statuses) counts[status] += 1;
  return counts;
}
