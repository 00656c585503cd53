/** The records that responses and conversations are kept in. @module */
import type { BackgroundJob } from './background-run.js';
import type { TableName, Transaction } from './tables.js';

/** An item of a conversation. */
export type StoredItem = Readonly<Record<string, unknown>> & { readonly id: string };

/** What is used, and forgotten, as one. */
export interface Kept {
  /** Milliseconds since 1970. */
  used: number;
  /** As JSON in UTF-16. */
  bytes: number;
}

/** Responses that follow each other, branches included. */
export interface Chain extends Kept {
  /** By id; `bytes` of one that was removed is 0. `isPending`: it is on its way. */
  members: Record<string, { previous?: string | undefined; bytes: number; isPending?: boolean }>;
}

/** What was answered, and what for. */
export interface ResponseRecord {
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

export interface ConversationRecord extends Kept {
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

/** At most so many places of an item are known: the first, and the latest. */
const MAX_HOMES = 8;

/** Says that items are in a response or a conversation. @param home its id */
export async function addHomes(
  transaction: Transaction,
  owner: string,
  { items, home }: { items: readonly StoredItem[]; home: string },
): Promise<void> {
  await Promise.all(items.map(({ id }) => addHome(transaction, nameOf(owner, id), home)));
}

async function addHome(transaction: Transaction, name: string, home: string): Promise<void> {
  const known = (await homesOf(transaction, name)).filter((each) => each !== home);
  const homes = known.length < MAX_HOMES ? known : [...known.slice(0, 1), ...known.slice(2 - MAX_HOMES)];
  transaction.put('items', name, [...homes, home]);
}

/** It is there no more. */
async function removeHome(transaction: Transaction, name: string, home: string): Promise<void> {
  const homes = (await homesOf(transaction, name)).filter((each) => each !== home);
  if (homes.length === 0) transaction.delete('items', name);
  else transaction.put('items', name, homes);
}

/** Ids of the responses and conversations that an item is in, the latest last. */
export async function homesOf(transaction: Transaction, name: string): Promise<readonly string[]> {
  return (await read<string[]>(transaction, 'items', name)) ?? [];
}

/** Removes a response's record and what leads to it. */
export async function deleteResponse(transaction: Transaction, owner: string, response: ResponseRecord): Promise<void> {
  const { body, input } = response;
  transaction.delete('responses', nameOf(owner, body.id));
  const items = [...input, ...body.output];
  await Promise.all(items.map(({ id }) => removeHome(transaction, nameOf(owner, id), body.id)));
}

/** Removes an item's record, and what leads to it. */
export async function deleteConversationItem(
  transaction: Transaction,
  owner: string,
  { conversation, id }: { conversation: string; id: string },
): Promise<void> {
  transaction.delete('conversationItems', nameOf(owner, conversation, id));
  await removeHome(transaction, nameOf(owner, id), conversation);
}

/** Items of a conversation that are still there. */
export async function readConversationItems(
  transaction: Transaction,
  owner: string,
  { conversation, ids }: { conversation: string; ids: readonly string[] },
): Promise<StoredItem[]> {
  const found = await Promise.all(
    ids.map((id) => read<StoredItem>(transaction, 'conversationItems', nameOf(owner, conversation, id))),
  );
  return found.filter((item) => item !== undefined);
}
