import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { LoadProgress } from '../../src/core/models/model-entry.js';
import { newMetadata } from '../../src/store/storage/byte-storage.js';
import { type FakeNetwork, fakeNetwork } from './support/fake-network.js';
import { sha256Of, someBytes } from './support/fault-server.js';
import { contentOf, filesOf, testStore, type TestStore } from './support/node-store.js';

const MB = 2 ** 20;
/** Four parts. */
const LARGE = someBytes(26 * MB + 123);
const CONFIG = new TextEncoder().encode('{"a":1}');

let server: FakeNetwork;
let store: TestStore;

beforeEach(() => {
  server = fakeNetwork({ 'm/config.json': CONFIG, 'm/large.bin': LARGE });
  store = testStore({ fetch: server.fetch });
});

const folder = (): string => `${server.url}m/`;
/** A new load, as after a restart: what is remembered is in storage. */
const files = (options: Parameters<typeof filesOf>[2] = {}) => filesOf(store, folder(), options);
const stateOf = async (file: string) => (await store.storage.find({ model: folder(), file }))?.metadata.state;

async function expectLarge(loading: Promise<Uint8Array | undefined>): Promise<void> {
  const bytes = await loading;
  expect(bytes?.length).toBe(LARGE.length);
  expect(Buffer.compare(bytes!, LARGE)).toBe(0);
}

describe('a download', () => {
  it('brings the file over four connections at most and keeps it', async () => {
    server.behaviour.chunkPause = 1;
    await expectLarge(contentOf(files(), 'large.bin'));
    expect(server.mostAtOnce).toBeGreaterThan(1);
    expect(server.mostAtOnce).toBeLessThanOrEqual(4);
    expect(server.sent).toBe(LARGE.length);
    await expectLarge(contentOf(files(), 'large.bin'));
    expect(server.sent).toBe(LARGE.length);
  });

  it('fetches several files at once, still over four connections', async () => {
    server.behaviour.chunkPause = 1;
    for (const name of ['b', 'c', 'd', 'e', 'f']) server.files.set(`m/${name}.bin`, someBytes(3 * MB, 7));
    const names = ['b', 'c', 'd', 'e', 'f'].map((name) => `${name}.bin`);
    const load = files();
    await load.prepare(names);
    await Promise.all(names.map((name) => load.find(name)));
    expect(server.mostAtOnce).toBeGreaterThan(1);
    expect(server.mostAtOnce).toBeLessThanOrEqual(4);
  });

  it('goes on where a broken connection stopped', async () => {
    Object.assign(server.behaviour, { cutsAfter: 3 * MB, cuts: 12, chunkBytes: 16 * 1024 });
    await expectLarge(contentOf(files(), 'large.bin'));
    expect(server.sent).toBeLessThan(1.05 * LARGE.length);
  });

  it('goes on where an ended load stopped, however often', async () => {
    Object.assign(server.behaviour, { chunkBytes: 16 * 1024, chunkPause: 1 });
    for (let kill = 1; kill <= 8; kill++) {
      const ended = new AbortController();
      const progress = (report: LoadProgress): void => {
        if (report.loadedBytes > (kill * LARGE.length) / 9) ended.abort();
      };
      const load = files({ signal: ended.signal, onProgress: progress });
      await expect(load.find('large.bin')).rejects.toMatchObject({ code: 'cancelled' });
    }
    await expectLarge(contentOf(files(), 'large.bin'));
    // What was between server and us when it ended is lost: sockets hold some.
    expect(server.sent).toBeLessThan(1.2 * LARGE.length);
  });

  it('works with a server that ignores ranges, and one that breaks besides', async () => {
    Object.assign(server.behaviour, { ignoresRanges: true, cutsAfter: 20 * MB, cuts: 2 });
    await expectLarge(contentOf(files(), 'large.bin'));
    expect(server.mostAtOnce).toBe(1);
  });

  it('starts anew when the file changes in the middle', async () => {
    const other = someBytes(25 * MB, 9);
    Object.assign(server.behaviour, { cutsAfter: 2 * MB, cuts: 1, chunkBytes: 16 * 1024 });
    server.behaviour.onRequest = () => {
      if (server.requests.length === 3) server.files.set('m/large.bin', other);
    };
    const bytes = await contentOf(files(), 'large.bin');
    expect(sha256Of(bytes!)).toBe(sha256Of(other));
  });

  it('waits longer each time, and as long as the server asks', async () => {
    const load = files();
    await load.find('config.json');
    server.behaviour.fails = { status: 503, times: 5 };
    server.files.set('m/other.json', CONFIG);
    await contentOf(load, 'other.json');
    expect(store.pauses).toEqual([500, 1000, 2000, 4000, 8000]);
    store.pauses.length = 0;
    server.behaviour.fails = { status: 429, times: 1, retryAfter: 7 };
    await contentOf(filesOf(testStore({ ...store, storage: testStore().storage }), folder()), 'config.json');
    expect(store.pauses).toEqual([7000]);
  });

  it('says at once that a server limits how often it may be asked, and for how long it waits', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const reasons: (string | undefined)[] = [];
    server.behaviour.fails = { status: 429, times: 1, retryAfter: 90 };
    const onProgress = ({ waiting, waitingReason }: LoadProgress): void =>
      void (waiting && reasons.push(waitingReason));
    const load = files({ onProgress });
    await contentOf(load, 'config.json');
    const reason = expect.stringMatching(/answered 429 \(it limits.*config\.json is requested again in 90 s/) as string;
    expect(reasons).toContainEqual(reason);
    expect(warn.mock.calls).toEqual([[reason]]);
  });

  it('gives up with a typed error that names the file, and goes on next time', async () => {
    Object.assign(server.behaviour, { cutsAfter: MB, cuts: 4 });
    await expect(
      (async () => {
        server.behaviour.onRequest = () => {
          if (server.behaviour.cuts === 0) server.behaviour.fails = { status: 500, times: Infinity };
        };
        await contentOf(files(), 'large.bin');
      })(),
    ).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('large.bin') as string });
    server.behaviour.onRequest = () => {};
    server.behaviour.fails = { status: 500, times: 0 };
    const before = server.sent;
    await expectLarge(contentOf(files(), 'large.bin'));
    expect(server.sent - before).toBeLessThan(LARGE.length);
  });

  it('waits while the device is offline, however long, when it had begun', async () => {
    server.behaviour.onRequest = () => {
      if (server.requests.length !== 2) return;
      store.offline = true;
      server.behaviour.fails = { status: 503, times: Infinity };
    };
    const reports: LoadProgress[] = [];
    const pause = store.pause.bind(store);
    let waits = 0;
    store.pause = async (milliseconds, signal) => {
      await pause(milliseconds, signal);
      if (!store.offline || milliseconds === 30_000 || ++waits < 20) return;
      store.offline = false;
      server.behaviour.fails = { status: 503, times: 0 };
    };
    await expectLarge(contentOf(files({ reports }), 'large.bin'));
    expect(waits).toBeGreaterThanOrEqual(20);
    expect(reports.some(({ waiting }) => waiting === 'network')).toBe(true);
  });

  it('fails at once when the device is offline from the start', async () => {
    store.offline = true;
    await server.close();
    await expect(contentOf(files(), 'large.bin')).rejects.toMatchObject({ code: 'unavailable' });
  });

  /** A server that compresses: what it says of the length is not the file's. */
  const compressing = (isForeign: boolean): TestStore =>
    testStore({
      async fetch(...request) {
        const { body, status, headers } = await server.fetch(...request);
        const answer = new Response(body, {
          status,
          headers: { 'content-type': 'application/json', etag: headers.get('etag')! },
        });
        answer.headers.set('content-length', '7');
        // Of another origin a page sees the length, and not that the body is encoded.
        if (isForeign) Object.defineProperty(answer, 'type', { value: 'cors' });
        else answer.headers.set('content-encoding', 'gzip');
        return answer;
      },
    });

  it.each([
    ['this', false],
    ['another', true],
  ])('tells no size of what a server of %s origin compresses, until it is there', async (_, isForeign) => {
    store = compressing(isForeign);
    server.behaviour.ignoresRanges = true;
    const reports: LoadProgress[] = [];
    await expectLarge(contentOf(files({ reports }), 'large.bin'));
    const before = reports.slice(0, -1);
    expect(before.length).toBeGreaterThan(0);
    expect(before.every((report) => report.totalBytes === 0 && report.remainingSeconds === undefined)).toBe(true);
    expect(reports.at(-1)).toMatchObject({ loadedBytes: LARGE.length, totalBytes: LARGE.length });
  });

  it('tells the size that the hub states of what the server compresses', async () => {
    store = compressing(false);
    server.behaviour.ignoresRanges = true;
    const tree = [
      {
        type: 'file',
        path: 'large.bin',
        size: LARGE.length,
        oid: '',
        lfs: { oid: sha256Of(LARGE), size: LARGE.length },
      },
    ];
    server.files.set('api/models/o/m/tree/main', new TextEncoder().encode(JSON.stringify(tree)));
    server.files.set('o/m/resolve/main/large.bin', LARGE);
    const reports: LoadProgress[] = [];
    await expectLarge(contentOf(filesOf(store, `${server.url}o/m/resolve/main/`, { reports }), 'large.bin'));
    expect(new Set(reports.map(({ totalBytes }) => totalBytes))).toEqual(new Set([LARGE.length]));
  });

  it('tells bytes, speed and the time that is left', async () => {
    let now = 0;
    store.now = () => (now += 20);
    const reports: LoadProgress[] = [];
    await contentOf(files({ reports }), 'large.bin');
    const told = reports.filter(({ bytesPerSecond }) => bytesPerSecond !== undefined);
    expect(told.length).toBeGreaterThan(3);
    expect(told[0]!.remainingSeconds).toBeGreaterThan(0);
    expect(reports.at(-1)).toMatchObject({
      model: 'model',
      file: 'large.bin',
      stage: 'download',
      loadedBytes: LARGE.length,
      totalBytes: LARGE.length,
    });
    const bytes = reports.map(({ loadedBytes }) => loadedBytes);
    expect(bytes).toEqual(bytes.toSorted((a, b) => a - b));
  });

  it('says that a missing file is missing, asks for it again only when the server can have it, and needs no network for that', async () => {
    expect(await contentOf(files(), 'no.json')).toBeUndefined();
    expect(await contentOf(files(), 'no.json')).toBeUndefined();
    server.files.set('m/no.json', CONFIG);
    expect(await contentOf(files(), 'no.json')).toEqual(CONFIG);
    expect(await contentOf(files(), 'none.json')).toBeUndefined();
    await server.close();
    expect(await contentOf(files(), 'none.json')).toBeUndefined();
  });

  it('takes an empty file, and one whose length nobody says', async () => {
    server.files.set('m/empty.bin', new Uint8Array(0));
    expect(await contentOf(files(), 'empty.bin')).toEqual(new Uint8Array(0));
    store.fetch = async (url, init) => {
      const response = await server.fetch(url, { ...init, headers: {} });
      return new Response(response.body, { headers: { 'content-encoding': 'br' } });
    };
    await expectLarge(contentOf(files(), 'large.bin'));
  });
});

describe('what is kept', () => {
  it('is used without a network', async () => {
    await contentOf(files(), 'large.bin');
    await server.close();
    await expectLarge(contentOf(files(), 'large.bin'));
  });

  it('is fetched anew when the server has another file', async () => {
    await contentOf(files(), 'config.json');
    server.files.set('m/config.json', new TextEncoder().encode('{"a":2}'));
    expect(new TextDecoder().decode(await contentOf(files(), 'config.json'))).toBe('{"a":2}');
  });

  it('is used when the server does not answer in time, after one wait for all files', async () => {
    server.files.set('m/other.bin', CONFIG);
    await contentOf(files(), 'other.bin');
    await contentOf(files(), 'config.json');
    await contentOf(files(), 'large.bin');
    const deadlines = new Set<unknown>();
    let asked = 0;
    let mostAtOnce = 0;
    store.fetch = (_url, { signal }) => {
      deadlines.add(signal);
      mostAtOnce = Math.max(mostAtOnce, ++asked);
      return new Promise((_, reject) =>
        signal?.addEventListener('abort', () => (asked--, reject(signal.reason as Error))),
      );
    };
    const load = files();
    expect(await Promise.all([contentOf(load, 'config.json'), contentOf(load, 'large.bin')])).toHaveLength(2);
    expect(await contentOf(load, 'other.bin')).toEqual(CONFIG);
    // Both were asked about at once, within one time for all; nobody waited again for the third.
    expect([mostAtOnce, deadlines.size, asked]).toEqual([2, 1, 0]);
  });

  it('is mended when somebody damaged it: only what is wrong is fetched', async () => {
    await contentOf(files(), 'large.bin');
    const bytes = await store.storage.readAll({ model: folder(), file: 'large.bin' }, () => {});
    bytes[20 * MB]! ^= 1;
    const before = server.sent;
    const load = files();
    await load.find('large.bin');
    expect(await load.repair()).toBe(true);
    await expectLarge(contentOf(load, 'large.bin'));
    expect(server.sent - before).toBeLessThanOrEqual(8 * MB);
    expect(await load.repair()).toBe(false);
  });
});

describe('stated content', () => {
  const stated = { 'large.bin': sha256Of(LARGE) };

  it('is compared: right bytes pass and are known as verified', async () => {
    await expectLarge(contentOf(files({ integrity: stated }), 'large.bin'));
    expect((await store.storage.find({ model: folder(), file: 'large.bin' }))?.metadata).toMatchObject({
      state: 'complete',
      verified: true,
      sha256: sha256Of(LARGE),
    });
  });

  it('is fetched again after one wrong byte', async () => {
    server.behaviour.lies = { file: 'm/large.bin', at: 20 * MB, times: 1 };
    await expectLarge(contentOf(files({ integrity: stated }), 'large.bin'));
  });

  it('is never handed out with a wrong byte: a typed error names the file', async () => {
    server.behaviour.lies = { file: 'm/large.bin', at: 5, times: Infinity };
    await expect(contentOf(files({ integrity: stated }), 'large.bin')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('large.bin') as string,
    });
    expect(await stateOf('large.bin')).not.toBe('complete');
  });

  it('is read as `sha256-` and base64 too, and compared with files that were kept without it', async () => {
    const integrity = { 'config.json': `sha256-${Buffer.from(sha256Of(CONFIG), 'hex').toString('base64')}` };
    await contentOf(files(), 'config.json');
    const before = server.sent;
    expect(await contentOf(files({ integrity }), 'config.json')).toEqual(CONFIG);
    await contentOf(files(), 'large.bin');
    await expectLarge(contentOf(files({ integrity: stated }), 'large.bin'));
    expect(server.sent - before).toBe(LARGE.length);
    const wrong = { 'config.json': '0'.repeat(64) };
    await expect(contentOf(files({ integrity: wrong }), 'config.json')).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('room', () => {
  it('is asked for before the first byte', async () => {
    store.free = 20 * MB;
    await store.storage.saveNote({ model: 'https://old/', wanted: [], lastUsed: 5 });
    await expect(files().prepare(['config.json', 'large.bin'])).rejects.toMatchObject({
      code: 'insufficient_resources',
      details: {
        neededBytes: LARGE.length,
        freeBytes: 20 * MB,
        removable: [{ source: 'https://old/', bytes: 0, lastUsed: 5 }],
      },
    });
    expect(server.sent).toBe(0);
  });

  it('is told by the sizes of files, kept or not, before any is fetched', async () => {
    const asked = files();
    expect(await asked.bytesOf(['large.bin', 'missing.bin'])).toBe(LARGE.length);
    expect(server.sent).toBe(0);
    await contentOf(asked, 'large.bin');
    const sent = server.sent;
    expect(await files().bytesOf(['large.bin'])).toBe(LARGE.length);
    expect(server.sent).toBe(sent);
  });

  it('counts only what is missing', async () => {
    await contentOf(files(), 'large.bin');
    store.free = 1;
    await files().prepare(['large.bin']);
    await expectLarge(contentOf(files(), 'large.bin'));
  });

  it('that runs out in the middle leaves no half file, and other files alone', async () => {
    await contentOf(files(), 'config.json');
    const open = store.storage.open.bind(store.storage);
    store.storage.open = async (place) => {
      const file = await open(place);
      let room = 10 * MB;
      const append = file.append.bind(file);
      file.append = async (part, bytes) => {
        room -= bytes.length;
        if (room < 0) throw new DOMException('full', 'QuotaExceededError');
        return append(part, bytes);
      };
      return file;
    };
    await expect(files().find('large.bin')).rejects.toMatchObject({ code: 'insufficient_resources' });
    expect(await stateOf('large.bin')).toBeUndefined();
    expect(await contentOf(files(), 'config.json')).toEqual(CONFIG);
  });
});

describe('room that storage refuses before it holds a byte', () => {
  beforeEach(() => {
    const open = store.storage.open.bind(store.storage);
    store.storage.open = async (place) => {
      const file = await open(place);
      file.save = async () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
      return file;
    };
  });

  it('is missed for as many bytes as the server tells', async () => {
    await expect(files().find('large.bin')).rejects.toMatchObject({
      code: 'insufficient_resources',
      message: expect.stringContaining('stopped after 0 MB of 27 MB of `large.bin`') as string,
      details: { neededBytes: LARGE.length, freeBytes: 0 },
    });
  });

  it('is missed for a file of unknown size without a size', async () => {
    await expect(files().find('config.json')).rejects.toMatchObject({
      message: expect.stringContaining('stopped after 0 MB of `config.json`') as string,
    });
  });
});

describe('a length that a server told wrong once', () => {
  /** The first answer of a method, of 10 bytes, claims so many. */
  const claiming = (bytes: number, method = 'GET'): void => {
    let times = 1;
    store.fetch = async (url, init) => {
      if ((init.method ?? 'GET') !== method || times-- <= 0) return server.fetch(url, init);
      const range = new Headers(init.headers).get('range');
      const headers: Record<string, string> = range
        ? { 'content-range': `bytes 0-9/${bytes}` }
        : { 'content-length': String(bytes) };
      return new Response(new Uint8Array(10), { status: range ? 206 : 200, headers });
    };
  };

  it.each([1e15, -1, 1.5, Number.NaN])('is not believed when no file can have it: %d', async (bytes) => {
    claiming(bytes);
    await contentOf(files(), 'large.bin').catch(() => {});
    await expectLarge(contentOf(files(), 'large.bin'));
  });

  it.each([1e15, Number.NaN])('to a question is not believed either: %d', async (bytes) => {
    store.free = 100 * MB;
    claiming(bytes, 'HEAD');
    await files().prepare(['large.bin']);
    await expectLarge(contentOf(files(), 'large.bin'));
  });

  it.each([1e15, 1e11])('and that was stored does not stand in the way of later loads: %d', async (size) => {
    for (const file of ['large.bin', 'config.json']) {
      const open = await store.storage.open({ model: folder(), file });
      await open.reset({ ...newMetadata({ model: folder(), file }, folder() + file), size });
      await open.close();
    }
    store.free = 100 * MB;
    const load = files();
    await load.prepare(['config.json', 'large.bin']);
    await expectLarge(contentOf(load, 'large.bin'));
    expect(await contentOf(load, 'config.json')).toEqual(CONFIG);
  });
});

it('what was found out about a file stays with it until it is fetched anew', async () => {
  expect(await files().fact('config.json', 'is it round?')).toBeUndefined();
  await files().keepFact('config.json', 'is it round?', true);
  expect(await files().fact('config.json', 'is it round?'), 'of a file that is not there').toBeUndefined();
  await contentOf(files(), 'config.json');
  await files().keepFact('config.json', 'is it round?', false);
  await files().keepFact('config.json', 'is it red?', true);
  expect(await files().fact('config.json', 'is it round?')).toBe(false);
  expect(await files().fact('config.json', 'is it red?')).toBe(true);
  expect(await contentOf(files(), 'config.json')).toEqual(CONFIG);
  server.files.set('m/config.json', new TextEncoder().encode('{"a":2}'));
  await contentOf(files(), 'config.json');
  expect(await files().fact('config.json', 'is it round?')).toBeUndefined();
});
