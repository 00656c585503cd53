/** Servers that answer any range with 206, whatever they send. */
import { expect, it } from 'vitest';
import { newMetadata } from '../../src/store/storage/byte-storage.js';
import { someBytes } from './support/fault-server.js';
import { contentOf, filesOf, testStore } from './support/node-store.js';

const FOLDER = 'http://files.test/m/';
const NAME = 'model.bin';
const PART_BYTES = 8 * 2 ** 20;
const NOW = someBytes(1_000_000, 3);

interface Answer {
  bytes: Uint8Array<ArrayBuffer>;
  range: string;
}

/** @param answer what comes for a range; a request for the whole is answered well */
function serverOf(answer: (from: number, to: number) => Answer) {
  const requests: string[] = [];
  const fetch = async (_: string, init: RequestInit = {}): Promise<Response> => {
    const range = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init.headers).get('range') ?? '');
    requests.push(range?.[0] ?? 'whole');
    if (requests.length > 100) throw new Error('Asked again and again.');
    if (!range) return new Response(NOW, { headers: { 'content-length': String(NOW.length) } });
    const { bytes, range: told } = answer(Number(range[1]), Number(range[2]));
    return new Response(bytes, { status: 206, headers: { 'content-range': told } });
  };
  return { fetch, requests };
}

/** What is kept of an earlier, longer file. @param size as it was told then */
async function keep(store: ReturnType<typeof testStore>, bytes: number, size?: number): Promise<void> {
  const place = { model: FOLDER, file: NAME };
  const file = await store.storage.open(place);
  await file.reset({ ...newMetadata(place, FOLDER + NAME, PART_BYTES), ...(size !== undefined && { size }) });
  await file.append(0, someBytes(bytes, 5));
  await file.close();
}

const honest = (from: number, to: number): Answer => ({
  bytes: NOW.slice(from, to + 1),
  range: `bytes ${from}-${Math.min(to, NOW.length - 1)}/${NOW.length}`,
});
const clamped = (from: number, to: number): Answer => ({
  bytes: NOW.slice(from, to + 1),
  range: `bytes ${from}-${to}/${NOW.length}`,
});
const backwards = (from: number, to: number): Answer => ({
  bytes: NOW.slice(from, to + 1),
  range: `bytes ${from}-${NOW.length - 1}/${NOW.length}`,
});

it.each([
  ['tells a range behind its end', clamped],
  ['tells a range that ends before it begins', backwards],
  ['tells another range', () => ({ bytes: NOW.slice(0, 10), range: `bytes 0-9/${NOW.length}` })],
  ['sends nothing', (from: number, to: number) => ({ ...honest(from, to), bytes: new Uint8Array() })],
])('[W11] a part of a longer file is not kept where a server %s', async (_, answer) => {
  for (const size of [undefined, 3_000_000]) {
    const server = serverOf((from, to) => (from === 0 ? honest(from, to) : answer(from, to)));
    const store = testStore({ fetch: server.fetch });
    await keep(store, 2_000_000, size);
    const content = await contentOf(filesOf(store, FOLDER), NAME);
    expect(Buffer.compare(content!, NOW)).toBe(0);
    expect(server.requests.length).toBeLessThan(20);
  }
});

it('[W11] a load that gets nothing ends after a few tries', async () => {
  const server = serverOf((from, to) => ({ ...honest(from, to), bytes: new Uint8Array() }));
  const store = testStore({
    fetch: async (url: string, init?: RequestInit) => {
      const response = await server.fetch(url, init);
      return response.status === 206 ? response : new Response(null, { status: 206 });
    },
  });
  await keep(store, 100, NOW.length);
  await expect(contentOf(filesOf(store, FOLDER), NAME)).rejects.toMatchObject({ code: 'unavailable' });
  expect(server.requests.length).toBeLessThan(20);
});

it('a config that came cut is fetched again by the next load', async () => {
  const CONFIG = new TextEncoder().encode('{"model_type":"bert"}');
  let length = 8;
  const store = testStore({
    fetch: async () => {
      const bytes = CONFIG.slice(0, length);
      return new Response(bytes, { headers: { 'content-length': String(bytes.length) } });
    },
  });
  const read = async (): Promise<unknown> => (await filesOf(store, FOLDER).read('config.json'))?.json();
  await expect(read()).rejects.toThrow(SyntaxError);
  length = CONFIG.length;
  expect(await read()).toEqual({ model_type: 'bert' });
});
