import { beforeEach, describe, expect, it } from 'vitest';
import type { InferenceError } from '../../../src/core/errors/inference-error.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { assembleTextModel, planTextModel } from '../../../src/engines/gguf/assemble-text-model.js';
import { chooseFile } from '../../../src/engines/gguf/choose-file.js';
import { type GgufSource, openGguf } from '../../../src/engines/gguf/gguf-source.js';
import { type FakeNetwork, fakeNetwork } from '../../store/support/fake-network.js';
import { sha256Of } from '../../store/support/fault-server.js';
import { testStore, type TestStore } from '../../store/support/node-store.js';
import { tinyContent } from './support/tiny-file.js';
import { headerOf } from './support/tiny-model.js';
import { type GgufInput, type MetadataInput, writeGguf } from './support/write-gguf.js';

const NAMES = [1, 2, 3].map((number) => `t-Q8_0-0000${number}-of-00003.gguf`);

/** @param changes of the metadata of each piece @param isFirstEmpty all tensors are in the others */
function piecesOf(changes: readonly Record<string, MetadataInput>[] = [], isFirstEmpty = false): Uint8Array[] {
  const { metadata, tensors } = tinyContent();
  const epsilon = { 'llama.attention.layer_norm_rms_epsilon': 1e-5 };
  const base = { 'llama.rope.freq_base': { type: 'f32' as const, value: 10_000 } };
  return NAMES.map((_, index) => {
    const own: Record<string, MetadataInput> = {
      ...(index === 0 && { ...metadata, ...epsilon, ...base }),
      'split.no': { type: 'u16', value: index },
      'split.count': { type: 'u16', value: 3 },
      'split.tensors.count': { type: 'i32', value: tensors.length },
      ...changes[index],
    };
    const [from, to] = isFirstEmpty ? [index - 1, 2] : [index, 3];
    const mine = from < 0 ? [] : tensors.slice((from * tensors.length) / to, ((from + 1) * tensors.length) / to);
    return writeGguf({ metadata: own, tensors: mine } satisfies GgufInput);
  });
}

let server: FakeNetwork;
let store: TestStore;

function serve(pieces: readonly Uint8Array[]): void {
  server = fakeNetwork(Object.fromEntries(pieces.map((piece, index) => [`m/${NAMES[index]}`, piece])));
  store = testStore({ fetch: server.fetch });
}

beforeEach(() => serve(piecesOf()));

const entryOf = (changes: Partial<ModelEntry>): ModelEntry => ({
  id: 'm',
  task: 'chat',
  backend: 'gguf',
  source: `${server.url}m/${NAMES[0]}`,
  ...changes,
});

type Planned = ReturnType<typeof planTextModel>;

function open(
  changes: Partial<ModelEntry> = {},
  localFiles?: { path: string; file: Blob }[],
): Promise<GgufSource<Planned>> {
  const { signal } = new AbortController();
  const options = { pageURL: server.url, hub: server.url, onProgress: () => {}, signal };
  const entry = entryOf(changes);
  const plan = (header: Parameters<typeof planTextModel>[1]): Planned => planTextModel(entry, header);
  return openGguf(entry, { ...options, ...(localFiles && { localFiles }) }, plan, { environment: store });
}

async function failureOf(changes: Partial<ModelEntry> = {}): Promise<string> {
  const thrown: unknown = await open(changes)
    .then((source) => source.fetch())
    .catch((error: unknown) => error);
  const { code, message, details } = thrown as InferenceError;
  return `${code}${details.permanent ? ' permanent' : ''}: ${message}`;
}

describe('[W30] a split file', () => {
  it.each([false, true])('is one model; tensors in the first piece: %s', async (isFirstEmpty) => {
    serve(piecesOf([], isFirstEmpty));
    const source = await open();
    expect(source).toMatchObject({ file: NAMES[0], pieces: NAMES, description: { overview: 'Tiny, Q8_0' } });
    await source.fetch();
    const model = await assembleTextModel(entryOf({}), source.plan, source.weights());
    expect(model.info.dtype).toBe('q8_0');
    const [{ note, files } = {}] = await store.storage.list();
    expect(note).toMatchObject({ wanted: NAMES });
    expect(files).toHaveLength(3);
    store.isOffline = () => true;
    await (await open()).fetch();
  });

  it('may begin with a piece that ends with its head, not filled up', async () => {
    const [first, ...others] = piecesOf([{ 'general.note': 'x' }], true);
    const { dataStart } = await headerOf(first!);
    serve([first!.slice(0, dataStart), ...others]);
    await (await open()).fetch();
    expect(dataStart % 32).not.toBe(0);
  });

  it('of ever so many pieces is not asked for behind the first that is missing', async () => {
    const [first] = piecesOf([{ 'split.count': { type: 'u16', value: 50_000 } }]);
    const name = 't-00001-of-50000.gguf';
    server = fakeNetwork({ [`m/${name}`]: first! });
    store = testStore({ fetch: server.fetch });
    expect(await failureOf({ source: `${server.url}m/${name}` })).toMatch(/^unavailable: .*00002-of-50000/);
    expect(server.requests.length).toBeLessThan(20);
  });

  it('is picked, all pieces together, or found in a list by its first one', async () => {
    const localFiles = piecesOf().map((piece, index) => ({ path: NAMES[index]!, file: new Blob([piece as BlobPart]) }));
    await (await open({ source: `${server.url}m`, file: '*Q8_0*.gguf' }, localFiles)).fetch();
    expect(server.sent).toBe(0);
    const listed = [...NAMES, 'u-Q6_K.gguf'].map((name) => ({ name, bytes: 9 }));
    expect(chooseFile({ id: 'm' }, listed)).toBe('u-Q6_K.gguf');
    expect(chooseFile({ id: 'm' }, listed.slice(0, 3))).toBe(NAMES[0]);
  });

  it('is what `integrity` says of each piece', async () => {
    const hashes = Object.fromEntries(piecesOf().map((piece, index) => [NAMES[index]!, sha256Of(piece)]));
    await (await open({ integrity: hashes })).fetch();
    store = testStore({ fetch: server.fetch });
    const wrong = { ...hashes, [NAMES[2]!]: sha256Of(new Uint8Array(1)) };
    expect(await failureOf({ integrity: wrong })).toMatch(/^unavailable: .*00003-of-00003/s);
    store = testStore({ fetch: server.fetch });
    expect(await failureOf({ integrity: hashes[NAMES[0]!]! })).toMatch(/^invalid_request permanent: .*00003-of-00003/);
  });

  const OTHER = { 'split.no': { type: 'u16', value: 1 } } as const;
  it.each<[string, () => Uint8Array[], RegExp]>([
    ['a missing piece', () => piecesOf().slice(0, 2), /^unavailable: .*00003-of-00003/],
    ['a cut piece', () => piecesOf().map((piece) => piece.slice(0, -600)), /^unavailable: .*-00001-of.* is incomplete/],
    [
      'a piece of another place',
      () => piecesOf([{}, {}, OTHER]),
      /^model_not_supported permanent: .*00003-of-00003.*piece 2/,
    ],
    [
      'a piece of another split',
      () => piecesOf([{}, { 'split.count': 4 }]),
      /^model_not_supported permanent: .*00002-of-00003.*of 4/,
    ],
    ['too few tensors', () => piecesOf([{ 'split.tensors.count': 99 }]), /^unavailable: .*states 99/],
  ])('with %s is refused by name', async (_, pieces, message) => {
    serve(pieces());
    expect(await failureOf()).toMatch(message);
  });

  it('is refused under the name of another piece than the first', async () => {
    const failure = await failureOf({ source: `${server.url}m/${NAMES[1]}` });
    expect(failure).toMatch(
      /^model_not_supported permanent: .*`t-Q8_0-00002-of-00003.gguf`.*`t-Q8_0-00001-of-00003.gguf`/,
    );
  });

  it('leaves nothing in the store when it is refused', async () => {
    serve(piecesOf([{ 'llama.expert_count': 4 }]));
    expect(await failureOf()).toMatch(/^model_not_supported permanent/);
    const stored = (await store.storage.list()).flatMap(({ files }) => files.map(({ bytes }) => bytes));
    expect(stored.reduce((sum, bytes) => sum + bytes, 0)).toBe(0);
  });
});
