/** Conversations kept in this browser's IndexedDB, newest first. Nothing of them leaves it. */
import { signal } from '@preact/signals';
import type { Turn } from './turn.js';

const STORE = 'conversations';

export interface SavedConversation {
  id: string;
  title: string;
  /** Unix milliseconds. */
  updated: number;
  turns: Turn[];
}

export const saved = signal<SavedConversation[]>([]);

let opening: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('inpage-demo', 1);
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(STORE, { keyPath: 'id' }));
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB cannot be opened.')));
  });
  return opening;
}

async function run<Value>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<Value>,
): Promise<Value> {
  const request = work((await open()).transaction(STORE, mode).objectStore(STORE));
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB failed.')));
  });
}

export async function refresh(): Promise<void> {
  const all = await run('readonly', (store) => store.getAll() as IDBRequest<SavedConversation[]>);
  saved.value = all.toSorted((a, b) => b.updated - a.updated);
}

export async function save(conversation: SavedConversation): Promise<void> {
  await run('readwrite', (store) => store.put(conversation));
  await refresh();
}

export async function remove(id: string): Promise<void> {
  await run('readwrite', (store) => store.delete(id));
  await refresh();
}

/** A file for the visitor's disk. */
export function exportConversation({ title, turns }: SavedConversation): void {
  const text = turns.map(({ role, text: said }) => `## ${role === 'user' ? 'You' : 'Model'}\n\n${said}\n`).join('\n');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([`# ${title}\n\n${text}`], { type: 'text/markdown' }));
  link.download = `${title.replaceAll(/[^\w-]+/g, '-').slice(0, 40) || 'conversation'}.md`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
}
