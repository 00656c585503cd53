/** What loading a GGUF file costs: how often its head is parsed, what is read of the store, and what the network is asked for. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { HeadBytes } from '../../../src/engines/gguf/file/head-bytes.js';
import { type GgufSource, openGguf } from '../../../src/engines/gguf/gguf-source.js';
import type { FileStatus, ReadStored } from '../../../src/store/storage/byte-storage.js';
import { lengthOfPart, PART_BYTES } from '../../../src/store/storage/byte-storage.js';
import { MemoryStorage } from '../../../src/store/storage/memory-storage.js';
import { type FakeNetwork, fakeNetwork } from '../../store/support/fake-network.js';
import { sha256Of } from '../../store/support/fault-server.js';
import { testStore, type TestStore } from '../../store/support/node-store.js';
import { type GgufInput, writeGguf } from './support/write-gguf.js';

const MB = 2 ** 20;
/** Bytes that may be read beyond a head. */
const AHEAD = 1_000_000;

const inputOf = (name: string): GgufInput => ({
  metadata: {
    'general.architecture': 'llama',
    'general.name': name,
    // A head of some megabytes, as large vocabularies make it.
    'tokenizer.ggml.tokens': Array.from({ length: 20_000 }, (_, token) => `${token}`.padEnd(100, '-')),
  },
  tensors: [{ name: 'token_embd.weight', shape: [1024, 4096], kind: 'F16', data: new Uint8Array(8 * MB) }],
});
const FILE = writeGguf(inputOf('one'));
const OTHER = writeGguf(inputOf('two'));

/** A disk that says what is read of it. */
class CountedDisk extends MemoryStorage {
  override readonly lasting = true;
  /** Bytes of each read. */
  readonly reads: number[] = [];

  override async readPart(file: FileStatus, part: number): Promise<Uint8Array<ArrayBuffer>> {
    this.reads.push(lengthOfPart(file.metadata, part));
    return (await super.readPart(file, part)).slice();
  }

  async openRange({ metadata }: FileStatus): Promise<ReadStored> {
    const bytes = await this.readAll(metadata, () => {});
    return async (from, to) => {
      const read = bytes.slice(from, to);
      this.reads.push(read.length);
      return read;
    };
  }
}

let server: FakeNetwork;
let disk: CountedDisk;
let store: TestStore;

beforeEach(() => {
  server = fakeNetwork({ 'm/one.gguf': FILE });
  server.behaviour.chunkBytes = MB;
  disk = new CountedDisk();
  store = testStore({ fetch: server.fetch, storage: disk });
});

function open(changes: Partial<ModelEntry> = {}): Promise<GgufSource<number>> {
  const entry: ModelEntry = { id: 'm', task: 'chat', backend: 'gguf', source: `${server.url}m/one.gguf`, ...changes };
  const { signal } = new AbortController();
  const options = { pageURL: server.url, hub: server.url, onProgress: () => {}, signal };
  return openGguf(entry, options, (header) => header.tensors.length, { environment: store });
}

async function load(changes: Partial<ModelEntry> = {}): Promise<Uint8Array> {
  const source = await open(changes);
  await source.fetch('load');
  return weightsOf(source);
}

async function weightsOf(source: GgufSource<number>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source.weights()) pieces.push(piece);
  return new Uint8Array(Buffer.concat(pieces));
}

const total = (bytes: readonly number[]): number => bytes.reduce((sum, each) => sum + each, 0);

describe('the head of a file', () => {
  it.each(['at a first load', 'at a later one'])('is parsed once %s', async (when) => {
    if (when === 'at a later one') await load();
    const parsed = vi.spyOn(HeadBytes.prototype, 'append');
    const { header } = await open();
    const { dataStart } = header;
    parsed.mockClear();
    const weights = await load();
    const bytes = total(parsed.mock.calls.map(([piece]) => piece.length));
    parsed.mockRestore();
    expect(dataStart).toBeGreaterThan(2 * MB);
    expect(bytes).toBeGreaterThanOrEqual(dataStart - 32);
    expect(bytes).toBeLessThanOrEqual(dataStart + AHEAD);
    expect(Buffer.compare(weights, FILE.subarray(dataStart))).toBe(0);
  });

  it('[W11] that is another when the weights come is found all the same', async () => {
    const source = await open();
    server.files.set('m/one.gguf', OTHER);
    await source.fetch('load');
    await expect(weightsOf(source)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('`one.gguf` changed on the server'),
    });
    const again = await open();
    expect(again.header.metadata.get('general.name')).toBe('two');
    expect((await weightsOf(again)).length).toBe(OTHER.length - again.header.dataStart);
  });
});

describe('a kept file', () => {
  it('is read once from the store, its head once more, and never more than a part at a time', async () => {
    await load();
    disk.reads.length = 0;
    const source = await open();
    await source.fetch('load');
    await weightsOf(source);
    expect(Math.max(...disk.reads)).toBeLessThanOrEqual(PART_BYTES);
    expect(total(disk.reads)).toBeLessThanOrEqual(FILE.length + source.header.dataStart + AHEAD);
  });

  it('[W12] asks the network for one thing at a reload', async () => {
    await load();
    server.requests.length = 0;
    await load();
    expect(server.requests).toEqual(['HEAD m/one.gguf']);
  });

  it('[W12] asks for nothing where its hash is written down, of a hub too', async () => {
    server.files.set('own/er/resolve/main/one.gguf', FILE);
    const integrity = { 'one.gguf': sha256Of(FILE) };
    const entries = [{ integrity }, { source: 'own/er', file: 'one.gguf', integrity }];
    for (const entry of entries) {
      await load(entry);
      server.requests.length = 0;
      await load(entry);
      expect(server.requests).toEqual([]);
    }
  });

  it('[W12] is fetched anew where its hash is another by now', async () => {
    await load({ integrity: { 'one.gguf': sha256Of(FILE) } });
    server.files.set('m/one.gguf', OTHER);
    await load({ integrity: { 'one.gguf': sha256Of(OTHER) } });
    expect((await open()).header.metadata.get('general.name')).toBe('two');
  });

  it('[W12] is another after the one question says so, and is fetched once', async () => {
    await load();
    server.files.set('m/one.gguf', OTHER);
    server.sent = 0;
    await load();
    expect(server.sent).toBe(OTHER.length);
  });

  it('[W12] is used when the question has no answer, and offline', async () => {
    await load();
    await server.close();
    expect((await load()).length).toBeGreaterThan(0);
    store.offline = true;
    expect((await load()).length).toBeGreaterThan(0);
  });
});
