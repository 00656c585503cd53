/** Files in Chromium: they outlive reloads, damaged ones are found out, PDF has a worker of its own, and all can be removed. */
import type { BrowserContext, Page } from 'playwright';
import { expect, it } from 'vitest';
import type { InferenceOptions } from '../../src/index.js';
import { makePdf } from '../service/files/make-files.js';
import { countingModel, openHost, started, startStream, type StreamState } from './support/host-page.js';
import { withContexts } from './support/shared-chromium.js';

let context: BrowserContext;
withContexts((own) => (context = own));

const MODELS: InferenceOptions['models'] = [
  { id: 'chat', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'It is blue.' }] } },
  { id: 'embed', task: 'embeddings', backend: 'scripted', script: { replies: [] } },
];

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of many kinds
function send(page: Page, method: string, path: string, body?: object): Promise<{ status: number; body: any }> {
  return page.evaluate(
    async ([verb, url, text]) => {
      const response = await window.inference!.fetch(`/v1${url}`, {
        method: verb,
        ...(text !== undefined && { body: text }),
      });
      const isJson = response.headers.get('content-type')?.includes('json');
      return { status: response.status, body: isJson ? ((await response.json()) as unknown) : await response.text() };
    },
    [method, path, body && JSON.stringify(body)] as const,
  );
}

async function upload(page: Page, bytes: Uint8Array, name: string): Promise<string> {
  return page.evaluate(
    async ([numbers, filename]) => {
      const form = new FormData();
      form.set('file', new File([new Uint8Array(numbers)], filename));
      form.set('purpose', 'assistants');
      const response = await window.inference!.fetch('/v1/files', { method: 'POST', body: form });
      return ((await response.json()) as { id: string }).id;
    },
    [[...bytes], name] as const,
  );
}

const encode = (text: string) => new TextEncoder().encode(text);
const stored = (page: Page) => page.evaluate(() => window.inference!.storedFiles());

/** Names of the files below the folder of files; in those with this ending a byte is changed. */
function onDisk(page: Page, damaged?: string): Promise<string[]> {
  return page.evaluate(async (ending) => {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle('inpage-files').catch(() => undefined);
    const names: string[] = [];
    const entries = (folder as unknown as { entries(): AsyncIterable<[string, FileSystemFileHandle]> })?.entries();
    for await (const [name, handle] of entries ?? []) {
      names.push(name);
      if (ending === undefined || !name.endsWith(ending)) continue;
      const writable = await handle.createWritable({ keepExistingData: true });
      await writable.write({ type: 'write', position: 9, data: new Uint8Array([255]) });
      await writable.close();
    }
    return names;
  }, damaged);
}

async function storeWith(page: Page, ids: readonly string[]): Promise<string> {
  const { id } = (await send(page, 'POST', '/vector_stores', { file_ids: ids })).body;
  await expect.poll(async () => (await send(page, 'GET', `/vector_stores/${id}`)).body.status).toBe('completed');
  return id;
}

async function reload(page: Page): Promise<void> {
  await page.reload();
  await started(page);
}

it('[F05] [F07] [F08] [F25] files and indexes outlive a reload, in a page with its own reader of PDF', async () => {
  const page = await openHost(context, { models: MODELS });
  const parts: string[] = [];
  page.on('request', (request) => parts.push(request.url()));
  page.on('worker', (worker) => parts.push(worker.url()));
  const text = await upload(page, encode('The door is blue.'), 'door.txt');
  const store = await storeWith(page, [text]);
  expect(parts.filter((url) => url.includes('pdf'))).toEqual([]);
  const pdf = await upload(page, makePdf(['The safe has the code 4711']), 'safe.pdf');
  await send(page, 'POST', `/vector_stores/${store}/files`, { file_id: pdf });
  await expect
    .poll(async () => (await send(page, 'GET', `/vector_stores/${store}`)).body.file_counts.completed, {
      timeout: 60_000,
    })
    .toBe(2);
  expect(parts.filter((url) => url.includes('pdf')).length).toBeGreaterThan(0);
  expect(parts.filter((url) => !url.startsWith(new URL(page.url()).origin) && !url.startsWith('blob:'))).toEqual([]);
  await reload(page);
  const search = async (query: string) =>
    (await send(page, 'POST', `/vector_stores/${store}/search`, { query })).body.data[0]?.content[0].text;
  expect(await search('code of the safe')).toBe('The safe has the code 4711');
  expect((await send(page, 'GET', `/files/${text}/content`)).body).toBe('The door is blue.');
  expect(await stored(page)).toMatchObject({ count: 2, vectorStores: 1, persistent: true, maxBytes: 1e9 });
  // A damaged index is made anew.
  await onDisk(page, '.index');
  await reload(page);
  expect(await search('which door is blue')).toBe('The door is blue.');
  await send(page, 'DELETE', `/files/${text}`);
  expect((await onDisk(page)).filter((name) => name.startsWith(text))).toEqual([]);
  await page.evaluate(() => window.inference!.removeFiles());
  expect([await onDisk(page), (await stored(page)).bytes]).toEqual([[], 0]);
});

/** At full size by `LONG_RUNS=1`. */
const MANY = process.env['LONG_RUNS']
  ? { files: 1000, bytes: 10_000, delayMs: 20 }
  : { files: 12, bytes: 500, delayMs: 400 };

it('[F05] indexing goes on where the tab was closed, and a chat beside it does not wait', async () => {
  const [chat, embed] = [countingModel(20_000, 10), MODELS[1]!];
  const script = { replies: [], tokenDelayMs: MANY.delayMs };
  const options: InferenceOptions = { models: [chat, { ...embed, script } as typeof embed] };
  const first = await openHost(context, options);
  const { store, ids } = await first.evaluate(addMany, MANY);
  await startStream(first, 'counting', 'inference.fetch');
  const counts = async (page: Page) => (await send(page, 'GET', `/vector_stores/${store}`)).body.file_counts;
  const written = () =>
    first.evaluate(() => (window as unknown as { streamState: StreamState }).streamState.text.length);
  const begun = await written();
  await expect.poll(async () => (await counts(first)).completed, { timeout: 60_000 }).toBeGreaterThan(2);
  expect(await written()).toBeGreaterThan(begun);
  const closed = await counts(first);
  expect(closed.in_progress).toBeGreaterThan(0);
  await first.close();
  const second = await openHost(context, options);
  // It has begun to go on when it answers.
  const { completed, in_progress: left } = await counts(second);
  expect([completed >= closed.completed, completed + left]).toEqual([true, MANY.files]);
  await expect.poll(async () => (await counts(second)).completed, { timeout: 300_000 }).toBe(MANY.files);
  const query = `number${MANY.files - 1}`;
  const { data } = (await send(second, 'POST', `/vector_stores/${store}/search`, { query })).body;
  expect(data[0].file_id).toBe(ids.at(-1));
  // One index each: what the closed tab had begun is swept.
  await reload(second);
  await stored(second);
  expect((await onDisk(second)).filter((name) => name.endsWith('.index'))).toHaveLength(MANY.files);
}, 600_000);

/** Runs in the page: stores files with a word of their own each, and begins to index them. */
async function addMany({ files, bytes }: typeof MANY): Promise<{ store: string; ids: string[] }> {
  const { fetch: call, baseURL } = window.inference!;
  const post = async (path: string, body: object): Promise<{ id: string }> => {
    const sent = body instanceof FormData ? body : JSON.stringify(body);
    const response = await call(baseURL + path, { method: 'POST', body: sent });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as { id: string };
  };
  const ids: string[] = [];
  for (let index = 0; index < files; index += 1) {
    const form = new FormData();
    form.set('purpose', 'assistants');
    form.set('file', new File([`number${index} `.padEnd(bytes, 'some words ')], `${index}.txt`));
    ids.push((await post('/files', form)).id);
  }
  const { id: store } = await post('/vector_stores', {});
  for (let from = 0; from < files; from += 500)
    await post(`/vector_stores/${store}/file_batches`, { file_ids: ids.slice(from, from + 500) });
  return { store, ids };
}
