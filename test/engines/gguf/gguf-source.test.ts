import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { InferenceError } from '../../../src/core/errors/inference-error.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { type GgufSource, openGguf } from '../../../src/engines/gguf/gguf-source.js';
import { planModel } from '../../../src/engines/gguf/model-plan.js';
import { PACK_MANIFEST } from '../../../src/store/sources/pack-manifest.js';
import { type FakeNetwork, fakeNetwork } from '../../store/support/fake-network.js';
import { sha256Of } from '../../store/support/fault-server.js';
import { testStore, type TestStore } from '../../store/support/node-store.js';
import { writeGguf, type GgufInput } from './support/write-gguf.js';

const SMALL: GgufInput = {
  metadata: { 'general.architecture': 'llama', 'general.name': 'Small', 'general.license': 'mit' },
  // Large enough that its weights are not fetched with its head.
  tensors: [{ name: 'token_embd.weight', shape: [1024, 4096], kind: 'F16', data: new Uint8Array(8 * 2 ** 20) }],
};
const FILE = writeGguf(SMALL);

let server: FakeNetwork;
let store: TestStore;

beforeEach(() => {
  server = fakeNetwork({ 'm/small-F16.gguf': FILE });
  store = testStore({ fetch: server.fetch });
});

type Changes = Partial<ModelEntry> & { localFiles?: { path: string; file: Blob }[] };

function open({ localFiles, ...changes }: Changes = {}): Promise<GgufSource<string>> {
  const entry: ModelEntry = {
    id: 'm',
    task: 'chat',
    backend: 'gguf',
    source: `${server.url}m/small-F16.gguf`,
    ...changes,
  };
  const options = {
    pageURL: server.url,
    hub: server.url,
    onProgress: () => {},
    signal: new AbortController().signal,
    ...(localFiles && { localFiles }),
  };
  return openGguf(entry, options, () => 'plan', { environment: store });
}

async function failureOf(changes: Changes = {}): Promise<string> {
  const thrown: unknown = await open(changes).catch((error: unknown) => error);
  const { code, message, details } = thrown as InferenceError;
  return `${code}${details.permanent ? ' permanent' : ''}: ${message}`;
}

async function weightsOf(source: GgufSource<string>): Promise<number> {
  await source.fetch();
  let bytes = 0;
  for await (const piece of source.weights()) bytes += piece.length;
  return bytes;
}

describe('the file of an entry', () => {
  it('is fetched once: the head first, then the rest, and nothing on a second visit', async () => {
    const source = await open();
    expect(server.sent).toBeLessThanOrEqual(source.header.dataStart + 1_000_000);
    expect(await weightsOf(source)).toBe(FILE.length - source.header.dataStart);
    expect(server.sent).toBe(FILE.length);
    store.isOffline = () => true;
    expect(await weightsOf(await open())).toBe(FILE.length - source.header.dataStart);
    expect(server.sent).toBe(FILE.length);
  });

  it('is the URL of a file, a query after it is sent, or a folder with `file`', async () => {
    const paths: string[] = [];
    const { fetch } = store;
    store.fetch = (url, init) => {
      paths.push(url);
      return fetch(url, init);
    };
    await weightsOf(await open({ source: `${server.url}m/small-F16.gguf?token=1` }));
    expect(new Set(paths)).toEqual(new Set([`${server.url}m/small-F16.gguf?token=1`]));
    const [kept] = await store.storage.list();
    expect(kept).toMatchObject({ note: { model: `${server.url}m/`, wanted: ['small-F16.gguf'] } });
    const source = await open({ source: `${server.url}m`, file: 'small-F16.gguf' });
    expect(source).toMatchObject({ folder: `${server.url}m/`, file: 'small-F16.gguf', plan: 'plan' });
    expect(source.description).toEqual({ architecture: 'llama', license: 'mit', overview: 'Small, F16' });
  });

  it('[W02] of a folder without a list cannot be a pattern', async () => {
    const source = `${server.url}m`;
    expect(await failureOf({ source, file: '*.gguf' })).toMatch(/^invalid_request permanent: .*no list of files/);
    expect(await failureOf({ source })).toMatch(/^invalid_request permanent: .*needs `file`/);
    expect(await failureOf({ source, file: 'none.gguf' })).toBe(
      `unavailable: The model \`m\` could not be loaded. ${source}/none.gguf returned status 404. Check \`source\` and \`file\`.`,
    );
    expect(await failureOf({ dtype: 'q8' })).toMatch(/^invalid_request permanent: .*`dtype`/);
  });

  it('[W02] of a hub repository is found by its list, and without a network among the stored ones', async () => {
    const lfs = { oid: sha256Of(FILE), size: FILE.length };
    const tree = ['a-Q8_0.gguf', 'a-Q4_K_M.gguf'].map((path) => ({ type: 'file', path, size: 1, oid: 'x', lfs }));
    const { fetch } = store;
    store.fetch = async (url, init) => (url.includes('/api/models/') ? Response.json(tree) : fetch(url, init));
    server.files.set('own/er/resolve/main/a-Q4_K_M.gguf', FILE);
    const source = await open({ source: 'own/er' });
    expect(source.file).toBe('a-Q4_K_M.gguf');
    await source.fetch();
    expect(await failureOf({ source: 'own/er', file: '*Q5*.gguf' })).toMatch(/`a-Q4_K_M.gguf`, `a-Q8_0.gguf`/);
    expect(await failureOf({ source: 'own/er', file: 'b.gguf' })).toMatch(/^invalid_request.*`a-Q8_0.gguf`/);
    store.isOffline = () => true;
    expect((await open({ source: 'own/er', file: '*Q4_K_M.gguf' })).file).toBe('a-Q4_K_M.gguf');
  });

  const LIST = 'api/models/own/er/tree/main?recursive=true';

  it('[W02] of a hub that does not answer is unavailable with the address, and may be there later', async () => {
    store.isOffline = () => true;
    store.fetch = () => Promise.reject(new TypeError('Failed to fetch'));
    for (const file of [undefined, '*Q4_K_M.gguf']) {
      const opening = open({ source: 'own/er', ...(file !== undefined && { file }) });
      await expect(opening).rejects.toMatchObject({ code: 'unavailable', details: { url: server.url + LIST } });
    }
  });

  it('[W02] of a hub that limits requests is found as soon as the hub allows it, and that is said meanwhile', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const pauses: number[] = [];
    store.pause = async (milliseconds) => void pauses.push(milliseconds);
    const answers = [429, 429, 200].map((status) => Response.json([], { status, headers: { 'retry-after': '7' } }));
    const { fetch } = store;
    store.fetch = async (url, init) => (url.includes('/api/models/') ? answers.shift()! : fetch(url, init));
    expect(await failureOf({ source: 'own/er' })).toBe(
      'invalid_request permanent: The model `m` cannot be loaded: `own/er` has no GGUF files on the hub. Repositories with such files often end in `-GGUF`.',
    );
    expect(answers).toEqual([]);
    expect(pauses).toEqual([7_000]);
    const { host } = new URL(server.url);
    expect(warned.mock.calls).toEqual([
      [
        `inpage: ${host} answered 429 (it limits how often files may be requested). ${server.url}${LIST} is requested again in 7 s.`,
      ],
    ]);
    warned.mockRestore();
  });

  it('[W02] of a repository that the hub does not show is not asked for again', async () => {
    let asked = 0;
    store.fetch = async () => new Response('', { status: (asked++, 401) });
    const opening = open({ source: 'own/er' });
    await expect(opening).rejects.toMatchObject({ code: 'unavailable', details: { httpStatus: 401 } });
    expect(asked).toBe(2);
  });

  it('is what `integrity` says: by its name, one hash, or a manifest', async () => {
    const right = sha256Of(FILE);
    const wrong = sha256Of(new Uint8Array(1));
    for (const integrity of [right, { 'small-F16.gguf': right }]) {
      store = testStore({ fetch: server.fetch });
      expect(await weightsOf(await open({ integrity }))).toBeGreaterThan(0);
    }
    for (const integrity of [wrong, { 'small-F16.gguf': wrong }]) {
      store = testStore({ fetch: server.fetch });
      await expect(open({ integrity }).then(weightsOf)).rejects.toMatchObject({ code: 'unavailable' });
    }
    const files = { 'small-F16.gguf': { bytes: FILE.length, sha256: right, partBytes: FILE.length, parts: [right] } };
    const manifest = new TextEncoder().encode(JSON.stringify({ version: 1, files }));
    server.files.set(`m/${PACK_MANIFEST}`, manifest);
    const packed = { source: `${server.url}m`, integrity: sha256Of(manifest) };
    expect((await open({ ...packed, file: '*.gguf' })).file).toBe('small-F16.gguf');
  });

  it('is the one that was picked, by its name', async () => {
    const localFiles = [{ path: 'folder/small-F16.gguf', file: new Blob([FILE]) }];
    expect(await weightsOf(await open({ localFiles }))).toBeGreaterThan(0);
    expect(server.sent).toBe(0);
    store = testStore({ fetch: server.fetch });
    expect((await open({ source: `${server.url}m`, file: '*.gguf', localFiles })).file).toBe('small-F16.gguf');
  });

  it.each(['picked/x.gguf', 'picked/small-F16.gguf', 'picked/', 'picked'])(
    'is the one that was picked, though its source has nothing: `%s`',
    async (source) => {
      const localFiles = [{ path: 'small-F16.gguf', file: new Blob([FILE]) }];
      const picked = { source: server.url + source };
      const bytes = await weightsOf(await open({ ...picked, localFiles }));
      expect(await weightsOf(await open(picked))).toBe(bytes);
      // Nor does another file there take its place.
      server.files.set('picked/small-F16.gguf', new Uint8Array(10));
      expect(await weightsOf(await open(picked))).toBe(bytes);
    },
  );

  it('is refused when it is cut, before its weights are fetched', async () => {
    server.files.set('m/small-F16.gguf', FILE.slice(0, FILE.length - 64));
    expect(await failureOf()).toMatch(/^unavailable: .*`small-F16.gguf` is incomplete/);
    expect(server.sent).toBeLessThan(1_100_000);
    server.files.set('m/small-F16.gguf', new Uint8Array(0));
    expect(await failureOf()).toMatch(/^unavailable: .*not a GGUF file/);
    // The next load tries again.
    server.files.set('m/small-F16.gguf', FILE);
    expect(await weightsOf(await open())).toBeGreaterThan(0);
  });

  it('is refused when the server tells its length only at its end', async () => {
    Object.assign(server.behaviour, { ignoresRanges: true, hidesHeaders: true });
    server.files.set('m/small-F16.gguf', FILE.slice(0, FILE.length - 64));
    await expect(open().then(weightsOf)).rejects.toMatchObject({ code: 'unavailable', message: /incomplete/ });
  });
});

describe('[W03] what is no model', () => {
  const CASES: [string, Partial<GgufInput['metadata']>, RegExp][] = [
    ['a projector', { 'general.type': 'mmproj' }, /projector/],
    ['an older projector', { 'general.architecture': 'clip' }, /projector/],
    ['an adapter', { 'general.type': 'adapter' }, /adapter/],
    ['a piece', { 'split.count': 3 }, /one of 3 pieces.*`-00001-of-00003\.gguf`/],
    ['an importance matrix', { 'general.type': 'imatrix' }, /type `imatrix`/],
  ];
  it.each(CASES)('%s is refused by name after its head', async (_, changes, message) => {
    server.files.set('m/small-F16.gguf', writeGguf({ ...SMALL, metadata: { ...SMALL.metadata, ...changes } as never }));
    const failure = await failureOf();
    expect(failure).toMatch(/^model_not_supported permanent: .*`small-F16.gguf`/);
    expect(failure).toMatch(message);
    expect(server.sent).toBeLessThan(1_100_000);
  });

  it('a vocabulary without weights is refused', async () => {
    server.files.set('m/small-F16.gguf', writeGguf({ ...SMALL, tensors: [] }));
    expect(await failureOf()).toMatch(/^model_not_supported permanent: .*no weights/);
  });

  it('an unknown architecture is refused with those that run', async () => {
    const header = { ...(await open()).header, metadata: new Map([['general.architecture', 'rwkv7']]) };
    expect(() => planModel(header)).toThrow(/`rwkv7` is not supported.*`llama`, `qwen2`, `qwen3`/);
  });
});

describe('a file that storage has no room for', () => {
  it('is loaded through memory, and a download says how much is missing', async () => {
    store.free = 1_000;
    await expect((await open()).fetch('store')).rejects.toMatchObject({
      code: 'insufficient_resources',
      details: { neededBytes: expect.any(Number), freeBytes: 1_000 },
    });
    const source = await open();
    await source.fetch('load');
    let bytes = 0;
    for await (const piece of source.weights()) bytes += piece.length;
    expect(bytes).toBe(FILE.length - source.header.dataStart);
  });
});
