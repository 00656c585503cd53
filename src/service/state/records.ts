/** The records that responses and conversations are stored in. @module */
import type { BackgroundJob } from './background-run.js';
import type { TableName, Transaction, WithItems } from './tables.js';

/** An item of a conversation. */
export type StoredItem = Readonly<Record<string, unknown>> & { readonly id: string };

/** What is used, and forgotten, as one. */
export interface Evictable {
  /** Milliseconds since 1970. */
  used: number;
  /** As JSON in UTF-16. */
  bytes: number;
}

/** Responses that follow each other, branches included. */
export interface Chain extends Evictable {
  /** By id; `bytes` of one that was removed is 0. `isPending`: it is on its way. */
  members: Record<string, { previous?: string | undefined; bytes: number; isPending?: boolean }>;
}

/** What was answered, and what for. */
export interface ResponseRecord extends WithItems {
  /** First response of its chain. */
  root: string;
  body: { readonly id: string; readonly output: readonly StoredItem[] };
  /** Its own items, where they are in no conversation. */
  input: readonly StoredItem[];
  /** Where it was made, and what of it is there: ids of what it read, and of its own items. */
  conversation?: { id: string; read: readonly string[] } | undefined;
  /** It is on its way, in the background. */
  job?: BackgroundJob | undefined;
}

/** An item of a conversation, as it is stored. */
export interface ConversationItemRecord extends WithItems {
  item: StoredItem;
}

export interface ConversationRecord extends Evictable {
  /** Unix seconds. */
  createdAt: number;
  metadata: Readonly<Record<string, string>>;
  /** Counts the changes of its items. */
  revision: number;
  /** In order. `response`: which one has added it. */
  items: readonly { id: string; bytes: number; response?: string | undefined }[];
}

/** Ids that the service makes have no blanks. */
export function nameOf(owner: string, ...ids: string[]): string {
  return [owner, ...ids].join(' ');
}

/** As JSON in UTF-16. */
export function bytesOf(value: unknown): number {
  return 2 * JSON.stringify(value).length;
}

/** A record of a table that holds only such. */
export async function read<Stored>(
  transaction: Transaction,
  table: TableName,
  name: string,
): Promise<Stored | undefined> {
  return (await transaction.get(table, name)) as Stored | undefined;
}

export async function readConversationItem(transaction: Transaction, name: string): Promise<StoredItem | undefined> {
  return (await read<ConversationItemRecord>(transaction, 'conversationItems', name))?.item;
}

/** Items of a conversation that are still there. */
export async function readConversationItems(
  transaction: Transaction,
  owner: string,
  { conversation, ids }: { conversation: string; ids: readonly string[] },
): Promise<StoredItem[]> {
  const found = await Promise.all(ids.map((id) => readConversationItem(transaction, nameOf(owner, conversation, id))));
  return found.filter((item) => item !== undefined);
}
