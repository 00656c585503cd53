/** The files of an entry with adapters: what is read, fetched and refused when. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { InferenceError } from '../../../src/core/errors/inference-error.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { planTextModel, withAdapters } from '../../../src/engines/gguf/assemble-text-model.js';
import { fetchTogether, type OpenedAdapter } from '../../../src/engines/gguf/adapter-files.js';
import { openAdapters } from '../../../src/engines/gguf/gguf-adapters.js';
import { openGguf } from '../../../src/engines/gguf/gguf-source.js';
import { type FakeNetwork, fakeNetwork } from '../../store/support/fake-network.js';
import { sha256Of } from '../../store/support/fault-server.js';
import { testStore, type TestStore } from '../../store/support/node-store.js';
import { tinyAdapter } from './support/tiny-adapter.js';
import { tinyFile } from './support/tiny-file.js';

// Large enough that its weights are not fetched with its head.
const MODEL = { kind: 'F32', width: 256, inner: 1024 } as const;
const FILE = tinyFile(MODEL);
const ADAPTER = tinyAdapter({ model: MODEL });

let server: FakeNetwork;
let store: TestStore;

beforeEach(() => {
  server = fakeNetwork({ 'm/tiny.gguf': FILE, 'm/near.gguf': ADAPTER, 'l/far.gguf': ADAPTER });
  store = testStore({ fetch: server.fetch });
});

async function open(
  loras: NonNullable<ModelEntry['loras']>,
  more: Partial<ModelEntry> = {},
  localFiles?: { path: string; file: Blob }[],
) {
  const entry: ModelEntry = { id: 'tiny', task: 'chat', backend: 'gguf', source: '/m/tiny.gguf', loras, ...more };
  const options = {
    pageURL: server.url,
    hub: server.url,
    onProgress: () => {},
    signal: new AbortController().signal,
    ...(localFiles && { localFiles }),
  };
  const source = await openGguf(entry, options, (header) => planTextModel(entry, header), { environment: store });
  const adapters = await openAdapters(entry, options, source, store);
  return { source, adapters, planned: withAdapters(entry, source.plan, adapters) };
}

async function failureOf(...given: Parameters<typeof open>): Promise<string> {
  const thrown: unknown = await open(...given).catch((error: unknown) => error);
  const { code, message } = thrown as InferenceError;
  return `${code}: ${message}`;
}

async function bytesOf({ weights }: Pick<OpenedAdapter, 'weights'>): Promise<number> {
  let bytes = 0;
  for await (const piece of weights()) bytes += piece.length;
  return bytes;
}

describe('adapters of an entry', () => {
  it('are read and kept like the file of the model, in its folder and in others', async () => {
    const { source, adapters, planned } = await open([
      { source: '/m', file: 'near.gguf', id: 'near' },
      { source: '/l/far.gguf', scale: -2 },
    ]);
    expect(planned.adapters).toBe(adapters);
    expect(adapters.map(({ id, scale }) => ({ id, scale }))).toEqual([
      { id: 'near', scale: 1 },
      { id: undefined, scale: -2 },
    ]);
    await fetchTogether([source, ...adapters]);
    for (const adapter of adapters) expect(await bytesOf(adapter)).toBe(ADAPTER.length - adapter.header.dataStart);
    expect(await adapters[1]!.contentHash()).toMatch(/^[\da-f]{64}$/);
    const kept = await store.storage.list();
    const wanted = kept.map(({ note: { model, wanted: names } }) => [model, names.toSorted()]);
    expect(Object.fromEntries(wanted)).toEqual({
      [`${server.url}m/`]: ['near.gguf', 'tiny.gguf'],
      [`${server.url}l/`]: ['far.gguf'],
    });
    const { sent } = server;
    store.isOffline = () => true;
    const again = await open([{ source: '/l/far.gguf' }]);
    await fetchTogether([again.source, ...again.adapters]);
    expect(server.sent).toBe(sent);
  });

  it('[W16] that do not fit are refused by name, and their weights and those of the model are not fetched', async () => {
    server.files.set('l/far.gguf', tinyAdapter({ model: { ...MODEL, width: 128 } }));
    const message = await failureOf([{ source: '/l/far.gguf' }]);
    expect(message).toMatch(/^model_not_supported: .*`far\.gguf`.*`blk\.0\.attn_q\.weight\.lora_a`.*shape/);
    expect(server.sent).toBeLessThan(FILE.length / 2);
    server.files.set('l/far.gguf', FILE);
    expect(await failureOf([{ source: '/l/far.gguf' }])).toMatch(/^model_not_supported: .*`far\.gguf`.*not an adapter/);
    expect(await failureOf([], { source: '/m/near.gguf' })).toMatch(/it is an adapter, not a model/);
    expect(await failureOf([{ source: '/l/none.gguf' }])).toMatch(
      /^unavailable: .*\/l\/none\.gguf returned status 404/,
    );
    server.files.set('l/far.gguf', ADAPTER.subarray(0, ADAPTER.length - 4096));
    expect(await failureOf([{ source: '/l/far.gguf' }])).toMatch(/^unavailable: .*`far\.gguf` is incomplete/);
  });

  it('are what `integrity` says by their names; one hash is that of the model', async () => {
    const lora = [{ source: '/l/far.gguf' }];
    const { source, adapters } = await open(lora, { integrity: sha256Of(FILE) });
    await fetchTogether([source, ...adapters]);
    const right = { 'tiny.gguf': sha256Of(FILE), 'far.gguf': sha256Of(ADAPTER) };
    const checked = await open(lora, { integrity: right });
    await fetchTogether([checked.source, ...checked.adapters]);
    const wrong = open(lora, { integrity: { ...right, 'far.gguf': sha256Of(FILE) } });
    await expect(wrong.then((each) => fetchTogether(each.adapters))).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('are picked by their names, and never taken for the model', async () => {
    const picked = [
      { path: 'a-Q4_K_M.gguf', file: new Blob([ADAPTER]) },
      { path: 'model.gguf', file: new Blob([FILE]) },
    ];
    const { source, adapters } = await open(
      [{ source: 'own/er', file: 'a-Q4_K_M.gguf' }],
      { source: 'own/er' },
      picked,
    );
    expect(source.file).toBe('model.gguf');
    await fetchTogether([source, ...adapters]);
    expect(await bytesOf(adapters[0]!)).toBe(ADAPTER.length - adapters[0]!.header.dataStart);
    expect(server.sent).toBe(0);
  });
});
