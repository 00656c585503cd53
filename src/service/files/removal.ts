/** Takes files, members and stores out of the tables. Each tells the names of bytes that are of no use any more. @module */
import type { Ledger } from './ledger.js';
import {
  type FilesTransaction,
  type MemberStatus,
  nameOf,
  prefixOf,
  read,
  readAll,
  type StoreRecord,
} from './records.js';

export const contentName = (file: string): string => `${file}.content`;
export const textName = (file: string): string => `${file}.text`;

/** The owner, or the owner with the store, of a record. */
export function placeOf(name: string): string {
  return name.slice(0, name.lastIndexOf('\n'));
}

/** A file leaves all stores of its owner. */
export async function dropFile(transaction: FilesTransaction, ledger: Ledger, name: string): Promise<string[]> {
  const owner = placeOf(name);
  const id = name.slice(owner.length + 1);
  await ledger.remove(transaction, 'files', name);
  const unused = [contentName(id), textName(id)];
  for (const [member, { id: file }] of await readAll(transaction, 'members', prefixOf(owner)))
    if (file === id) unused.push(...(await dropMember(transaction, ledger, member)));
  return unused;
}

export async function dropMember(transaction: FilesTransaction, ledger: Ledger, name: string): Promise<string[]> {
  const member = await read(transaction, 'members', name);
  if (!member) return [];
  const { status, batch, id, index } = member;
  if (batch !== undefined && status === 'in_progress')
    await noteInBatch(transaction, ledger, { batch: nameOf(placeOf(name), batch), file: id, status: 'cancelled' });
  await ledger.remove(transaction, 'members', name);
  return index ? [index.name] : [];
}

export async function dropStore(transaction: FilesTransaction, ledger: Ledger, name: string): Promise<string[]> {
  const unused: string[] = [];
  for (const [member] of await readAll(transaction, 'members', `${name}\n`))
    unused.push(...(await dropMember(transaction, ledger, member)));
  for (const [batch] of await readAll(transaction, 'batches', `${name}\n`))
    await ledger.remove(transaction, 'batches', batch);
  await ledger.remove(transaction, 'stores', name);
  return unused;
}

/** A batch counts what became of its files. */
export async function noteInBatch(
  transaction: FilesTransaction,
  ledger: Ledger,
  { batch: name, file, status }: { batch: string; file: string; status: MemberStatus },
): Promise<void> {
  const batch = await read(transaction, 'batches', name);
  if (batch?.members[file] === undefined) return;
  const members = { ...batch.members, [file]: status };
  await ledger.put(transaction, ['batches', name], { ...batch, members }, { isNote: true });
}

const DAY = 24 * 3600;

/** Unix seconds; undefined: it does not expire. */
export function expiryOf({ lastActiveAt, expiresAfterDays }: StoreRecord): number | undefined {
  return expiresAfterDays === undefined ? undefined : lastActiveAt + expiresAfterDays * DAY;
}

/** Removes what has expired. A store stays, without its index. @param now Unix seconds */
export async function dropExpired(transaction: FilesTransaction, ledger: Ledger, now: number): Promise<string[]> {
  const due = await transaction.get('sums', 'expiry');
  if (due === undefined || Number(due) > now) return [];
  const unused: string[] = [];
  let next = Infinity;
  for (const [name, { expiresAt = Infinity }] of await readAll(transaction, 'files')) {
    if (expiresAt <= now) unused.push(...(await dropFile(transaction, ledger, name)));
    else next = Math.min(next, expiresAt);
  }
  for (const [name, store] of await readAll(transaction, 'stores')) {
    const expiresAt = store.isExpired ? Infinity : (expiryOf(store) ?? Infinity);
    if (expiresAt <= now) unused.push(...(await expireStore(transaction, ledger, name, store)));
    else next = Math.min(next, expiresAt);
  }
  if (next === Infinity) transaction.delete('sums', 'expiry');
  else transaction.put('sums', 'expiry', next);
  return unused;
}

async function expireStore(
  transaction: FilesTransaction,
  ledger: Ledger,
  name: string,
  store: StoreRecord,
): Promise<string[]> {
  const unused: string[] = [];
  await ledger.put(transaction, ['stores', name], { ...store, isExpired: true }, { isNote: true });
  for (const [memberName, { index, ...member }] of await readAll(transaction, 'members', `${name}\n`)) {
    const status = member.status === 'in_progress' ? 'cancelled' : member.status;
    if (index) unused.push(index.name);
    await ledger.put(transaction, ['members', memberName], { ...member, status }, { isNote: true });
  }
  return unused;
}

/** Something expires then: it is looked for at that time, not before. */
export async function noteExpiry(transaction: FilesTransaction, at: number | undefined): Promise<void> {
  if (at === undefined) return;
  const due = Number((await transaction.get('sums', 'expiry')) ?? Infinity);
  if (at < due) transaction.put('sums', 'expiry', at);
}
