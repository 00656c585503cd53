import { beforeEach, describe, expect, it } from 'vitest';
import { PACK_MANIFEST } from '../../src/store/sources/pack-manifest.js';
import type { FileBeginning } from '../../src/store/download/file-head.js';
import { type FakeNetwork, fakeNetwork } from './support/fake-network.js';
import { sha256Of, someBytes } from './support/fault-server.js';
import { contentOf, filesOf, testStore, type TestStore } from './support/node-store.js';

const MB = 2 ** 20;
/** Three parts. */
const FILE = someBytes(20 * MB + 77);

let server: FakeNetwork;
let store: TestStore;

beforeEach(() => {
  server = fakeNetwork({ 'm/m.gguf': FILE, 'm/empty.gguf': new Uint8Array(0) });
  store = testStore({ fetch: server.fetch });
});

const folder = (): string => `${server.url}m/`;
const files = (options: Parameters<typeof filesOf>[2] = {}) => filesOf(store, folder(), options);

/** Reads ranges one after the other, and compares them. */
const reads =
  (...ends: number[]) =>
  async (head: FileBeginning): Promise<number | undefined> => {
    let from = 0;
    for (const to of ends) {
      expect(Buffer.compare(await head.read(from, to), FILE.subarray(from, to))).toBe(0);
      from = to;
    }
    return head.size;
  };

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return new Uint8Array(Buffer.concat(all));
}

describe('the beginning of a file', () => {
  it('[W03] comes by ranges and nothing else of the file does', async () => {
    expect(await files().readHead('m.gguf', reads(1000, 1 * MB, 9 * MB))).toBe(FILE.length);
    expect(server.sent).toBe(9 * MB);
    expect(server.requests).toHaveLength(3);
  });

  it('is not fetched a second time: a download and another look go on from it', async () => {
    await files().readHead('m.gguf', reads(3 * MB));
    expect(await files().readHead('m.gguf', reads(1000, 2 * MB))).toBe(FILE.length);
    expect(server.sent).toBe(3 * MB);
    expect(Buffer.compare((await contentOf(files(), 'm.gguf'))!, FILE)).toBe(0);
    expect(server.sent).toBe(FILE.length);
    await files().readHead('m.gguf', reads(10 * MB));
    expect(server.sent).toBe(FILE.length);
  });

  describe.each([{ ignoresRanges: true }, { hidesHeaders: true }])('of a server without ranges (%o)', (changes) => {
    beforeEach(() => Object.assign(server.behaviour, changes));

    it('[W03] ends the transfer when it is refused', async () => {
      server.behaviour.chunkPause = 1;
      const refused = files().readHead('m.gguf', async (head) => {
        await reads(1000, 1 * MB)(head);
        throw new Error('refused');
      });
      await expect(refused).rejects.toThrow('refused');
      expect(server.sent).toBeLessThan(4 * MB);
    });

    it('lets the rest come in with it otherwise', async () => {
      await files().readHead('m.gguf', reads(1000, 1 * MB));
      expect(Buffer.compare((await contentOf(files(), 'm.gguf'))!, FILE)).toBe(0);
      expect(server.requests.length).toBeLessThanOrEqual(changes.ignoresRanges ? 1 : 9);
    });
  });

  it('is undefined without such a file, and empty of an empty one', async () => {
    expect(await files().readHead('none.gguf', reads(10))).toBeUndefined();
    expect(await files().readHead('empty.gguf', async (head) => (await head.read(0, 10)).length)).toBe(0);
  });

  it('survives broken connections, and ends when it must', async () => {
    Object.assign(server.behaviour, { cutsAfter: 300_000, cuts: 3 });
    await files().readHead('m.gguf', reads(2 * MB));
    server.files.delete('m/m.gguf');
    server.files.set('m/other.gguf', FILE);
    server.behaviour.cuts = Infinity;
    server.behaviour.cutsAfter = 0;
    await expect(files().readHead('other.gguf', reads(2 * MB))).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('starts connectionAbort when the file has changed since', async () => {
    await files().readHead('m.gguf', reads(1 * MB));
    const other = someBytes(FILE.length, 9);
    server.files.set('m/m.gguf', other);
    const read = await files().readHead('m.gguf', async (head) => {
      await head.read(0, 1000);
      return head.read(1000, 2 * MB);
    });
    expect(Buffer.compare(read!, other.subarray(1000, 2 * MB))).toBe(0);
  });

  it('does not stay when it was refused', async () => {
    const refused = files().readHead('m.gguf', async (head) => {
      await head.read(0, 1000);
      throw new Error('refused');
    });
    await expect(refused).rejects.toThrow('refused');
    expect((await store.storage.find({ model: folder(), file: 'm.gguf' }))?.bytes).toBe(0);
  });

  it('of a file in parts comes from the parts', async () => {
    const partBytes = 4 * MB;
    const parts = Array.from({ length: 6 }, (_, part) => FILE.subarray(part * partBytes, (part + 1) * partBytes));
    for (const [part, bytes] of parts.entries()) server.files.set(`m/split.gguf.${part}`, bytes);
    const list = { bytes: FILE.length, sha256: sha256Of(FILE), partBytes, parts: parts.map(sha256Of), split: true };
    const manifest = new TextEncoder().encode(JSON.stringify({ version: 1, files: { 'split.gguf': list } }));
    server.files.set(`m/${PACK_MANIFEST}`, manifest);
    const load = files({ integrity: sha256Of(manifest) });
    expect(await load.readHead('split.gguf', reads(1000, 5 * MB, 6 * MB))).toBe(FILE.length);
    expect(server.sent).toBeLessThan(7 * MB);
    expect(Buffer.compare((await contentOf(load, 'split.gguf'))!, FILE)).toBe(0);
  });
});

describe('a stream of a file', () => {
  it('brings its bytes from a place on, fetched once', async () => {
    const load = files();
    for (const from of [0, 1000, 9 * MB]) {
      expect(Buffer.compare(await collect(load.stream('m.gguf', from)), FILE.subarray(from))).toBe(0);
    }
    expect(server.sent).toBe(FILE.length);
  });

  it('rejects without the file', async () => {
    await expect(collect(files().stream('none.gguf'))).rejects.toMatchObject({ code: 'unavailable' });
  });
});
