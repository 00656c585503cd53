/** A file that a server does not have now may be there tomorrow. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LocalFile } from '../../src/core/models/backend.js';
import { hubFolderURL } from '../../src/store/sources/hub.js';
import { fetchAll, openModelFiles } from '../../src/store/open-model-files.js';
import { type FakeNetwork, fakeNetwork } from './support/fake-network.js';
import { sha256Of, someBytes } from './support/fault-server.js';
import { hubFiles } from './support/hub-server.js';
import { contentOf, filesOf, testStore, type TestStore } from './support/node-store.js';

const WEIGHTS = someBytes(2 ** 20 + 7);
const CONFIG = new TextEncoder().encode('{"a":1}');
const FILES = { 'config.json': CONFIG, 'model.onnx': WEIGHTS, 'generation_config.json': CONFIG };
const RESOLVE = 'o/m/resolve/main/';

let network: FakeNetwork;
let store: TestStore;

beforeEach(() => {
  network = fakeNetwork(hubFiles('o/m', FILES));
  store = testStore({ fetch: network.fetch });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const folder = (): string => hubFolderURL({ hubURL: network.url, id: 'o/m', revision: 'main' });
const read = (file: string, options: Parameters<typeof filesOf>[2] = {}) =>
  contentOf(filesOf(store, folder(), options), file);

describe('a file of a hub that was answered 404 once', () => {
  it.each([
    ['', undefined],
    [', with a stated hash', { 'model.onnx': sha256Of(WEIGHTS) }],
  ])('is there on the next load%s', async (_, integrity) => {
    network.files.delete(`${RESOLVE}model.onnx`);
    expect(await read('model.onnx', { integrity })).toBeUndefined();
    network.files.set(`${RESOLVE}model.onnx`, WEIGHTS);
    expect((await read('model.onnx', { integrity }))?.length).toBe(WEIGHTS.length);
  });

  it('and that a model can do without is asked for again after minutes, and needs no network for that', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    network.files.delete(`${RESOLVE}generation_config.json`);
    expect(await read('generation_config.json')).toBeUndefined();
    network.files.set(`${RESOLVE}generation_config.json`, CONFIG);
    const asked = network.requests.length;
    expect(await read('generation_config.json')).toBeUndefined();
    expect(network.requests.length).toBe(asked);
    vi.setSystemTime(Date.now() + 10 * 60_000);
    await network.close();
    expect(await read('generation_config.json')).toBeUndefined();
    network.open();
    expect(await read('generation_config.json')).toEqual(CONFIG);
  });
});

describe('a file that no model runs without, answered 404 once,', () => {
  const readFrom = (file: string) => contentOf(filesOf(store, `${network.url}m/`), file);
  /** Answers questions later than a load waits for them, and downloads as ever. */
  const slowly: typeof network.fetch = async (url, init = {}) => {
    const isQuestion = init.method === 'HEAD' || new Headers(init.headers).get('range') === 'bytes=0-0';
    if (!isQuestion) return network.fetch(url, init);
    return new Promise((_, reject) =>
      init.signal!.addEventListener('abort', () => reject(init.signal!.reason as Error)),
    );
  };

  it.each(['model.onnx', 'config.json'])('is fetched from a server that is slower than a check: %s', async (file) => {
    expect(await readFrom(file)).toBeUndefined();
    network.files.set(`m/${file}`, CONFIG);
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      const late = new AbortController();
      setTimeout(() => late.abort(), 20);
      return late.signal;
    });
    store.fetch = slowly;
    expect(await readFrom(file)).toEqual(CONFIG);
  });

  it('is said to be out of reach, not missing, when nobody answers', async () => {
    expect(await readFrom('model.onnx')).toBeUndefined();
    await network.close();
    await expect(readFrom('model.onnx')).rejects.toMatchObject({ code: 'unavailable' });
    network.open();
    network.files.set('m/model.onnx', CONFIG);
    expect(await readFrom('model.onnx')).toEqual(CONFIG);
  });
});

describe('a file that was kept and is gone from its server', () => {
  const readFrom = (file: string) => contentOf(filesOf(store, `${network.url}m/`), file);
  beforeEach(async () => {
    network.files.set('m/model.onnx', WEIGHTS);
    await readFrom('model.onnx');
  });
  /** Answers so to HEAD alone, or to everything. */
  const answering = (status: number, methods: readonly string[]): void => {
    store.fetch = async (url, init) =>
      methods.includes(init.method ?? 'GET') ? new Response(null, { status }) : network.fetch(url, init);
  };

  it.each([404, 410])('is missing: %i', async (status) => {
    answering(status, ['HEAD', 'GET']);
    expect(await readFrom('model.onnx')).toBeUndefined();
    store.fetch = network.fetch;
    expect(await readFrom('model.onnx')).toEqual(WEIGHTS);
  });

  it.each([401, 403, 500])('is used, because %i says nothing of it', async (status) => {
    answering(status, ['HEAD', 'GET']);
    expect(await readFrom('model.onnx')).toEqual(WEIGHTS);
  });

  it.each([404, 405])('as far as HEAD says, is used: some servers answer that with %i', async (status) => {
    answering(status, ['HEAD']);
    expect(await readFrom('model.onnx')).toEqual(WEIGHTS);
    expect(network.sent).toBeLessThan(2 * WEIGHTS.length);
  });
});

describe('a file that nobody answers for', () => {
  /** An app's cache: what it lists is there without a network, all else is a network error. */
  const cached = (...names: string[]): void => {
    store.fetch = async (url, init) => {
      if (!names.includes(url.split('/').at(-1)!)) throw new TypeError('Failed to fetch');
      return network.fetch(url, init);
    };
  };
  beforeEach(() => {
    for (const [name, bytes] of Object.entries(FILES)) network.files.set(`m/${name}`, bytes);
  });
  const open = (integrity?: Record<string, string>) => filesOf(store, `${network.url}m/`, { integrity });
  const OPTIONAL = 'generation_config.json';

  it.each([true, false])('is absent when the rest of the model is there (offline: %s)', async (isOffline) => {
    store.offline = isOffline;
    cached('config.json', 'model.onnx');
    const load = open();
    await load.prepare(Object.keys(FILES));
    expect(await contentOf(load, OPTIONAL)).toBeUndefined();
    expect(await contentOf(load, 'model.onnx')).toEqual(WEIGHTS);
    expect(await store.storage.find({ model: `${network.url}m/`, file: OPTIONAL })).toBeUndefined();
    store.offline = false;
    store.fetch = network.fetch;
    expect(await contentOf(open(), OPTIONAL), 'with a network').toEqual(CONFIG);
  });

  it.each([
    ['and that no model runs without is an error', ['config.json', OPTIONAL], 'model.onnx', undefined],
    ['is an error when weights are out of reach too', ['config.json'], OPTIONAL, undefined],
    ['and that the app states is an error', ['config.json', 'model.onnx'], OPTIONAL, { [OPTIONAL]: sha256Of(CONFIG) }],
  ])('%s', async (_, names, file, integrity) => {
    store.offline = true;
    cached(...names);
    const load = open(integrity);
    await load.prepare(Object.keys(FILES));
    await expect(contentOf(load, file)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('but with 503 is an error', async () => {
    store.fetch = async (url, init) =>
      url.endsWith(OPTIONAL) ? new Response(null, { status: 503 }) : network.fetch(url, init);
    const load = open();
    await load.prepare(Object.keys(FILES));
    await expect(contentOf(load, OPTIONAL)).rejects.toMatchObject({
      code: 'unavailable',
      details: { httpStatus: 503 },
    });
  });

  it('while the network is gone is fetched when it comes back with the rest', async () => {
    const load = open();
    await load.find('config.json');
    store.offline = true;
    cached();
    const pause = store.pause.bind(store);
    let waits = 0;
    store.pause = async (milliseconds, signal) => {
      await pause(milliseconds, signal);
      if (milliseconds !== 5_000 || ++waits < 3) return;
      store.offline = false;
      store.fetch = network.fetch;
    };
    await load.prepare(Object.keys(FILES));
    expect(await contentOf(load, OPTIONAL)).toEqual(CONFIG);
    expect(await contentOf(load, 'model.onnx')).toEqual(WEIGHTS);
  });
});

describe('files that a person picked', () => {
  const picked = (names: readonly (keyof typeof FILES)[]): LocalFile[] =>
    names.map((name) => ({ path: `stick/${name}`, file: new Blob([FILES[name]]) }));
  const importModel = async (integrity: Record<string, string> | undefined, localFiles: LocalFile[]): Promise<void> => {
    const options = { onProgress: () => {}, signal: new AbortController().signal, localFiles };
    await fetchAll(
      await openModelFiles({ id: 'm', ...(integrity && { integrity }) }, folder(), options, store),
      Object.keys(FILES),
    );
  };

  it.each([
    ['', undefined],
    [' with stated hashes', { 'model.onnx': sha256Of(WEIGHTS), 'config.json': sha256Of(CONFIG) }],
  ])('are taken after a wrong folder%s, and are complete without optional ones', async (_, integrity) => {
    await expect(importModel(integrity, picked(['generation_config.json']))).rejects.toMatchObject({
      code: 'unavailable',
    });
    await importModel(integrity, picked(['config.json', 'model.onnx']));
    await network.close();
    expect((await read('model.onnx', { integrity }))?.length).toBe(WEIGHTS.length);
  });

  it('are found without the folders that browsers leave out of downloads, but for a `config.json`', async () => {
    const localFiles = [
      { path: 'config.json', file: new Blob([CONFIG]) },
      { path: 'model.onnx', file: new Blob([WEIGHTS]) },
    ];
    const options = { onProgress: () => {}, signal: new AbortController().signal, localFiles };
    const files = await openModelFiles({ id: 'm' }, folder(), options, store);
    await fetchAll(files, ['config.json', 'onnx/model.onnx', '1_Pooling/config.json']);
    expect((await contentOf(files, 'onnx/model.onnx'))?.length).toBe(WEIGHTS.length);
    expect(await files.find('1_Pooling/config.json')).toBeUndefined();
  });

  it('without a file say nothing of what the server has', async () => {
    await importModel(undefined, picked(['config.json', 'model.onnx']));
    expect(await read('generation_config.json')).toEqual(CONFIG);
  });
});

describe('an empty file', () => {
  /** Answers 416 as if the file were empty, once. */
  const emptyOnce = (status: 416 | 200): void => {
    let times = 1;
    store.fetch = async (url, init) => {
      if (!url.endsWith('model.onnx') || init.method === 'HEAD' || times-- <= 0) return network.fetch(url, init);
      return new Response(null, {
        status,
        headers: status === 416 ? { 'content-range': 'bytes */0' } : { 'content-length': '0' },
      });
    };
  };

  it.each([416, 200] as const)('that came once with %i and no entity tag does not stay', async (status) => {
    network.files.delete('api/models/o/m/tree/main');
    emptyOnce(status);
    await read('model.onnx');
    expect((await read('model.onnx'))?.length).toBe(WEIGHTS.length);
  });

  it('that came with 416 is asked for without a range before it is believed', async () => {
    network.files.delete('api/models/o/m/tree/main');
    emptyOnce(416);
    expect((await read('model.onnx'))?.length).toBe(WEIGHTS.length);
  });

  it('of a server that says nothing of its files is fetched again, and is used without a network', async () => {
    network.files.set('m/empty.bin', new Uint8Array(0));
    network.behaviour.hidesHeaders = true;
    const readEmpty = () => contentOf(filesOf(store, `${network.url}m/`), 'empty.bin');
    expect(await readEmpty()).toEqual(new Uint8Array(0));
    expect(await readEmpty()).toEqual(new Uint8Array(0));
    await network.close();
    expect(await readEmpty()).toEqual(new Uint8Array(0));
    network.open();
    network.files.set('m/empty.bin', CONFIG);
    expect(await readEmpty()).toEqual(CONFIG);
  });
});
