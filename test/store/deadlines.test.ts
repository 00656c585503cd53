/** Everything that the store waits for ends: servers that fall silent, storage that does not open, tabs that stand still. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Connections } from '../../src/store/download/connections.js';
import { OpfsStorage } from '../../src/store/storage/opfs-storage.js';
import { browserStore } from '../../src/store/storage/store-environment.js';
import { writeAccess } from '../../src/store/storage/opfs-access.js';
import { removeStored } from '../../src/store/list-stored.js';
import { memoryLocks } from './support/memory-locks.js';
import { memoryDisk, MemoryHandle } from './support/memory-opfs.js';
import { contentOf, filesOf, testStore, type TestStore } from './support/node-store.js';

const MB = 2 ** 20;
const FOLDER = 'http://localhost/m/';
const NEVER = new Promise<never>(() => {});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Ends by its signal alone, as `fetch` does when a server keeps a connection open and says nothing. */
function silence(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason as Error);
    signal?.addEventListener('abort', () => reject(signal.reason as Error));
  });
}

/** The watch over silent connections waits this long instead of half a minute. */
function impatient(changes: Partial<TestStore>): TestStore {
  const store = testStore(changes);
  const pause = store.pause.bind(store);
  store.pause = (milliseconds, signal) =>
    milliseconds === 30_000
      ? new Promise((resolve, reject) => {
          setTimeout(resolve, 30);
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        })
      : pause(milliseconds, signal);
  return store;
}

/**
 * A file of so many bytes, part by part as it is asked for.
 * @param stalls this answer sends half of it and then nothing
 * @param meanwhile what the other answers wait for after each piece
 */
function stalling(size: number, stalls: (request: number) => boolean, meanwhile = async (): Promise<void> => {}) {
  const requests: string[] = [];
  const whole: string[] = [];
  const fetch = async (_: string, { headers, signal }: RequestInit): Promise<Response> => {
    const range = new Headers(headers).get('range') ?? `bytes=0-${size - 1}`;
    const [, first = '0', last = '0'] = /(\d+)-(\d+)/.exec(range)!;
    const [from, to] = [Number(first), Math.min(Number(last), size - 1)];
    const bytes = new Uint8Array(to - from + 1).fill(7);
    const isStalled = stalls(requests.push(range));
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (sent === bytes.length) {
          whole.push(range);
          return controller.close();
        }
        if (isStalled && sent > 0) return silence(signal);
        const piece = bytes.subarray(sent, sent + (isStalled ? bytes.length >> 1 : 16 * 1024));
        sent += piece.length;
        controller.enqueue(piece);
        if (!isStalled) await meanwhile();
      },
    });
    const answer = { 'content-range': `bytes ${from}-${to}/${size}`, 'content-length': String(bytes.length) };
    return new Response(body, { status: 206, headers: answer });
  };
  return { fetch, requests, whole };
}

describe('a server that falls silent', () => {
  it('in the middle of a file is asked again for the rest', async () => {
    const { fetch, requests } = stalling(3 * MB, (request) => request <= 2);
    const bytes = await contentOf(filesOf(impatient({ fetch }), FOLDER), 'large.bin');
    expect(bytes?.every((byte) => byte === 7)).toBe(true);
    expect(requests.length).toBe(3);
    expect(requests[2]).toBe(`bytes=${2.25 * MB}-${3 * MB - 1}`);
  });

  it('on one connection is noticed while the others bring bytes', async () => {
    const size = 40 * MB;
    const { fetch, requests, whole } = stalling(
      size,
      (request) => {
        if (isAskedAgain()) wholeBefore ??= whole.length;
        return request === 2;
      },
      async () => {
        if (!isAskedAgain()) await new Promise((resolve) => setTimeout(resolve, 5));
      },
    );
    let wholeBefore: number | undefined;
    const isAskedAgain = (): boolean => new Set(requests.map((range) => range.split('-')[1])).size < requests.length;
    const bytes = await contentOf(filesOf(impatient({ fetch }), FOLDER), 'large.bin');
    expect(bytes?.length).toBe(size);
    // None but the first, which brings the size.
    expect(wholeBefore).toBeLessThanOrEqual(1);
  });

  it.each<[string, number, number]>([
    ['after a few bytes, again and again,', 1000, Infinity],
    ['for all but a byte now and then', 1, 5],
  ])('%s is given up, and what came is kept', async (_, bytes, pause) => {
    const size = 3 * MB;
    let isWell = false;
    let sent = 0;
    const fetch = async (_url: string, { headers, signal }: RequestInit): Promise<Response> => {
      const [, first = '0'] = /(\d+)-/.exec(new Headers(headers).get('range') ?? '') ?? [];
      const from = Number(first);
      let pieces = 0;
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          if (isWell) controller.enqueue(new Uint8Array(size - from).fill(7));
          if (isWell) return controller.close();
          if (pieces++ > 0) await (pause === Infinity ? silence(signal) : new Promise((end) => setTimeout(end, pause)));
          if (signal?.aborted) return controller.error(signal.reason);
          sent += bytes;
          controller.enqueue(new Uint8Array(bytes).fill(7));
        },
      });
      const range = { 'content-range': `bytes ${from}-${size - 1}/${size}` };
      return new Response(body, { status: 206, headers: range });
    };
    const store = impatient({ fetch });
    await expect(contentOf(filesOf(store, FOLDER), 'large.bin')).rejects.toMatchObject({ code: 'unavailable' });
    const kept = await store.storage.find({ model: FOLDER, file: 'large.bin' });
    expect(kept).toMatchObject({ metadata: { state: 'partial' }, bytes: sent });
    isWell = true;
    expect((await contentOf(filesOf(store, FOLDER), 'large.bin'))?.every((byte) => byte === 7)).toBe(true);
  });

  it('forever is a typed error that names the file', async () => {
    const fetch = (_: string, { signal }: RequestInit) => silence(signal);
    await expect(contentOf(filesOf(impatient({ fetch }), FOLDER), 'large.bin')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('large.bin') as string,
      details: { url: `${FOLDER}large.bin` },
    });
  });

  it.each(['a head', 'a body'])('and owes %s to a mere question does not keep a load waiting', async (owes) => {
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      const late = new AbortController();
      setTimeout(() => late.abort(), 20);
      return late.signal;
    });
    const fetch = (_: string, { signal }: RequestInit) =>
      owes === 'a head'
        ? silence(signal)
        : Promise.resolve(
            new Response(
              new ReadableStream({
                start: (controller) => void silence(signal).catch((reason: unknown) => controller.error(reason)),
              }),
              { status: owes === 'a body' ? 200 : 500 },
            ),
          );
    const files = filesOf(testStore({ fetch }), 'http://localhost/o/m/resolve/main/');
    // The hub's list of files, whether there is one, and how large it is.
    expect(await files.exists('model.onnx')).toBe(owes === 'a body');
    expect(await files.bytesOf(['model.onnx'])).toBe(0);
  });

  it('to a question of somebody who leaves ends at once', async () => {
    const leave = new AbortController();
    const fetch = (_: string, { signal }: RequestInit) => silence(signal);
    const files = filesOf(testStore({ fetch }), FOLDER, { signal: leave.signal });
    const asked = files.exists('model.onnx');
    leave.abort();
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('storage', () => {
  it('that never opens is passed over for memory', async () => {
    vi.useFakeTimers();
    vi.stubGlobal('FileSystemFileHandle', { prototype: { createSyncAccessHandle: true } });
    vi.stubGlobal('navigator', { storage: { getDirectory: () => NEVER } });
    const opening = browserStore();
    await vi.advanceTimersByTimeAsync(10_100);
    expect((await opening).storage.lasting).toBe(false);
  });

  /** @param busy attempts in which another worker still has the file; -1: the browser never answers */
  const handleOf = (busy: number) => {
    let attempts = 0;
    const createSyncAccessHandle = async (): Promise<string> => {
      if (busy < 0) return NEVER;
      if (++attempts > busy) return 'open';
      throw new DOMException('In use.', 'NoModificationAllowedError');
    };
    return { createSyncAccessHandle } as unknown as FileSystemFileHandle;
  };

  it('of which a worker that was just ended still has a file is waited for, and not forever', async () => {
    vi.useFakeTimers();
    const soon = writeAccess(handleOf(5));
    const never = writeAccess(handleOf(Infinity)).catch((thrown: unknown) => thrown);
    const silent = writeAccess(handleOf(-1)).catch((thrown: unknown) => thrown);
    await vi.advanceTimersByTimeAsync(11_000);
    expect(await soon).toBe('open');
    expect(await never).toMatchObject({ code: 'unavailable', details: { retryAfter: 5 } });
    expect(await silent).toMatchObject({ code: 'unavailable', details: { retryAfter: 5 } });
  });

  it('that cannot be removed because another tab uses it is a typed error', async () => {
    const disk = memoryDisk();
    vi.stubGlobal('FileSystemFileHandle', MemoryHandle);
    vi.stubGlobal('navigator', { storage: { getDirectory: async () => disk.root }, locks: memoryLocks() });
    const storage = (await OpfsStorage.create())!;
    await storage.saveNote({ model: FOLDER, wanted: [], lastUsed: 1 });
    const folder = await disk.root.getDirectoryHandle('inpage-models');
    vi.spyOn(folder, 'removeEntry').mockRejectedValue(new DOMException('In use.', 'NoModificationAllowedError'));
    const removal = removeStored(FOLDER, { models: [], load: { pageURL: FOLDER } }, async () => {});
    await expect(removal).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('others', () => {
  it('that hold all connections to a host and stand still are not waited for', async () => {
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
    const request = async (_: string, { signal, ifAvailable }: LockOptions, use: (lock: null) => void) =>
      ifAvailable ? use(null) : signal?.aborted ? Promise.reject(new Error('late')) : NEVER;
    const connections = new Connections({ request } as unknown as LockManager);
    await expect(connections.take(FOLDER, new AbortController().signal)).resolves.toBeTypeOf('function');
  });
});
