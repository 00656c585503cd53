import { beforeEach, expect, it } from 'vitest';
import type { CrossOriginStorage } from '../../../src/store/download/cross-origin-storage.js';
import { type FakeNetwork, fakeNetwork } from '../support/fake-network.js';
import { sha256Of, someBytes } from '../support/fault-server.js';
import { contentOf, filesOf, testStore, type TestStore } from '../support/node-store.js';

const MB = 2 ** 20;
const LARGE = someBytes(9 * MB + 7);
const integrity = { 'large.bin': sha256Of(LARGE) };

/** Stands for the browser's, which all sites share. */
class SharedFiles implements CrossOriginStorage {
  readonly files = new Map<string, Uint8Array<ArrayBuffer>>();

  async requestFileHandle(
    { value }: { value: string },
    options?: { create: true; origins: '*' },
  ): Promise<FileSystemFileHandle> {
    if (!options && !this.files.has(value)) throw new DOMException('No such file.', 'NotFoundError');
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    const handle = {
      getFile: async () => new Blob([this.files.get(value)!]),
      createWritable: async () => ({
        write: async (bytes: Uint8Array<ArrayBuffer>) => void pieces.push(bytes.slice()),
        close: async () => this.files.set(value, new Uint8Array(await new Blob(pieces).arrayBuffer())),
      }),
    };
    return handle as unknown as FileSystemFileHandle;
  }
}

let server: FakeNetwork;
let store: TestStore;
let crossOrigin: SharedFiles;

beforeEach(async () => {
  server = fakeNetwork({ 'm/large.bin': LARGE });
  store = testStore({ fetch: server.fetch });
  crossOrigin = new SharedFiles();
});

const read = (options: Parameters<typeof filesOf>[2]) =>
  contentOf(filesOf(store, `${server.url}m/`, options), 'large.bin');

it('a file that another site has fetched is taken from there, and kept', async () => {
  crossOrigin.files.set(sha256Of(LARGE), LARGE);
  expect(sha256Of((await read({ integrity, crossOrigin }))!)).toBe(sha256Of(LARGE));
  expect(server.sent).toBe(0);
  expect((await read({ integrity }))?.length).toBe(LARGE.length);
  expect(server.sent).toBe(0);
});

it('a file that is not what its hash stands for is fetched instead', async () => {
  crossOrigin.files.set(sha256Of(LARGE), Uint8Array.from(LARGE).fill(0, 5, 6));
  expect(sha256Of((await read({ integrity, crossOrigin }))!)).toBe(sha256Of(LARGE));
  expect(server.sent).toBe(LARGE.length);
});

it('a checked file is offered to other sites; one of which nobody states the content is not', async () => {
  await read({ crossOrigin });
  expect(crossOrigin.files.size).toBe(0);
  store = testStore({ fetch: server.fetch });
  await read({ integrity, crossOrigin });
  expect(sha256Of(crossOrigin.files.get(sha256Of(LARGE))!)).toBe(sha256Of(LARGE));
});

it('a person who says no changes nothing', async () => {
  crossOrigin.requestFileHandle = async () => {
    throw new DOMException('No.', 'NotAllowedError');
  };
  expect((await read({ integrity, crossOrigin }))?.length).toBe(LARGE.length);
});
