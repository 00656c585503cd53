/** The visitor's files, in one vector store that outlives the visit. */
import { computed, signal } from '@preact/signals';
import { inference } from '../inference.js';
import { problemOf } from '../parts/problem-of.js';
import { RequestError } from '../wire/request-error.js';
import { callFiles } from './call-files.js';

/** Where the id of the store is remembered. */
const STORE_KEY = 'inpage-demo-store';

/** A page of the list: the most that it gives at once. */
const PAGE = 100;

export interface OwnFile {
  id: string;
  name: string;
  status: 'in_progress' | 'completed' | 'cancelled' | 'failed';
  /** Why it cannot be searched. */
  error: string | undefined;
}

interface Member {
  id: string;
  status: OwnFile['status'];
  last_error: { message: string } | null;
}

export const files = signal<OwnFile[]>([]);
export const problem = signal('');
/** Files that are being stored. */
export const adding = signal(0);
export const isIndexing = computed(() => files.value.some(({ status }) => status === 'in_progress'));
export const canAsk = computed(() => files.value.some(({ status }) => status === 'completed'));
export const store = signal(localStorage.getItem(STORE_KEY) ?? undefined);

const names = new Map<string, string>();
let refreshing: Promise<void> | undefined;

/** Looks again until nothing is in progress. */
export function refresh(): Promise<void> {
  refreshing ??= follow().finally(() => (refreshing = undefined));
  return refreshing;
}

/** Stores files and has them indexed; one that is refused does not stop the others. */
export async function addFiles(chosen: Iterable<File>): Promise<void> {
  const all = [...chosen];
  problem.value = '';
  adding.value += all.length;
  for (const file of all) {
    try {
      await add(file);
    } catch (error) {
      problem.value = `${file.name}: ${problemOf(error)}`;
    } finally {
      adding.value -= 1;
    }
    // The list says the rest.
    void attempt(refresh);
  }
}

export function removeFile(id: string): Promise<void> {
  return attempt(async () => {
    await callFiles('DELETE', `/files/${id}`);
    files.value = files.value.filter((file) => file.id !== id);
  });
}

export function removeAll(): Promise<void> {
  return attempt(async () => {
    await inference.peek()?.removeFiles();
    remember(undefined);
    files.value = [];
  });
}

export async function attempt(work: () => Promise<void>): Promise<void> {
  problem.value = '';
  try {
    await work();
  } catch (error) {
    problem.value = problemOf(error);
  }
}

async function add(file: File): Promise<void> {
  const form = new FormData();
  form.set('purpose', 'assistants');
  form.set('file', file);
  const { answer } = await callFiles<{ id: string }>('POST', '/files', form);
  names.set(answer.id, file.name);
  await callFiles('POST', `/vector_stores/${await openStore()}/files`, { file_id: answer.id });
}

/** The store of an earlier visit, where it is still there. */
async function openStore(): Promise<string> {
  if (store.value !== undefined && (await isThere(store.value))) return store.value;
  const { answer } = await callFiles<{ id: string }>('POST', '/vector_stores', { name: 'Playground' });
  remember(answer.id);
  return answer.id;
}

function remember(id: string | undefined): void {
  store.value = id;
  if (id === undefined) localStorage.removeItem(STORE_KEY);
  else localStorage.setItem(STORE_KEY, id);
}

async function isThere(id: string): Promise<boolean> {
  try {
    await callFiles('GET', `/vector_stores/${id}`);
    return true;
  } catch (error) {
    if (error instanceof RequestError && error.param === 'vector_store_id') return false;
    throw error;
  }
}

async function follow(): Promise<void> {
  for (let again: number | undefined = 0; again !== undefined;) {
    if (again > 0) await new Promise((resolve) => setTimeout(resolve, again));
    const id = store.value;
    if (id === undefined || !(await isThere(id))) {
      files.value = [];
      return;
    }
    const page = await callFiles<{ data: Member[] }>('GET', `/vector_stores/${id}/files?limit=${PAGE}`);
    const found: OwnFile[] = [];
    for (const { id: file, status, last_error: error } of page.answer.data)
      found.push({ id: file, name: await nameOf(file), status, error: error?.message });
    files.value = found;
    ({ again } = page);
  }
}

async function nameOf(id: string): Promise<string> {
  const known = names.get(id);
  if (known !== undefined) return known;
  const { answer } = await callFiles<{ filename: string }>('GET', `/files/${id}`);
  names.set(id, answer.filename);
  return answer.filename;
}
