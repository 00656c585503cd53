import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InferenceError } from '../../../src/core/errors/inference-error.js';
import { explainPackError } from '../../../src/tools/cli/pack.js';
import { type PackOptions, packModel } from '../../../src/tools/cli/pack/pack-model.js';
import { readEntry } from '../../../src/tools/cli/read-entry.js';
import { type PackManifest, PACK_MANIFEST } from '../../../src/store/sources/pack-manifest.js';
import { type FaultServer, sha256Of, someBytes, startFaultServer } from '../../store/support/fault-server.js';
import { hubFiles } from '../../store/support/hub-server.js';
import { contentOf, filesOf, testStore } from '../../store/support/node-store.js';

const MB = 2 ** 20;
const text = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
/** A model large enough for a GPU, with one file for each precision that is asked for, and more that are not. */
const CONFIG = text({
  architectures: ['LlamaForCausalLM'],
  hidden_size: 2048,
  num_hidden_layers: 16,
  vocab_size: 32000,
  'transformers.js_config': { use_external_data_format: { 'model_q4.onnx': 1 } },
});
const WEIGHTS = someBytes(9 * MB + 123);
const FILES: Record<string, Uint8Array> = {
  'config.json': CONFIG,
  'tokenizer.json': text({ model: {} }),
  'tokenizer_config.json': text({}),
  'chat_template.jinja': new TextEncoder().encode('{{ messages }}'),
  'README.md': new TextEncoder().encode('# A model'),
  'onnx/model.onnx': someBytes(3 * MB, 2),
  'onnx/model_quantized.onnx': WEIGHTS,
  'onnx/model_q4.onnx': someBytes(2 * MB, 3),
  'onnx/model_q4.onnx_data': someBytes(3 * MB, 4),
  'onnx/model_q4f16.onnx': someBytes(2 * MB, 5),
};
const FOR_WASM = [
  'README.md',
  'chat_template.jinja',
  'config.json',
  'onnx/model_quantized.onnx',
  'tokenizer.json',
  'tokenizer_config.json',
];

let server: FaultServer;
let place: string;

beforeEach(async () => {
  server = await startFaultServer(hubFiles('owner/Model', FILES));
  place = mkdtempSync(join(tmpdir(), 'inpage-pack-'));
});
afterEach(async () => {
  await server.close();
  rmSync(place, { recursive: true });
});

const folder = (): string => join(place, 'model');
const pack = (changes: Partial<PackOptions> = {}, entry: object = { device: 'wasm' }) =>
  packModel({ ...readEntry('owner/Model'), ...entry }, { folder: folder(), hubURL: server.url, ...changes });
const manifest = (): PackManifest => JSON.parse(readFileSync(join(folder(), PACK_MANIFEST), 'utf8')) as PackManifest;
const onDisk = (): string[] =>
  readdirSync(folder(), { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder(), name)).isFile())
    .toSorted();

/** Serves the pack at `p/`. */
function servePack(): void {
  for (const name of onDisk()) server.files.set(`p/${name}`, readFileSync(join(folder(), name)));
}

describe('a pack', () => {
  it('holds what the entry needs and nothing else, with hashes', async () => {
    const { entry, bytes, files } = await pack();
    expect(onDisk()).toEqual([...FOR_WASM, PACK_MANIFEST].toSorted());
    expect(files).toBe(FOR_WASM.length);
    expect(bytes).toBe(FOR_WASM.reduce((sum, name) => sum + FILES[name]!.length, 0));
    for (const name of FOR_WASM) {
      expect(readFileSync(join(folder(), name)).equals(FILES[name]!)).toBe(true);
      expect(manifest().files[name]).toMatchObject({ bytes: FILES[name]!.length, sha256: sha256Of(FILES[name]!) });
    }
    expect(entry).toEqual({
      id: 'model',
      task: 'chat',
      backend: 'transformers',
      device: 'wasm',
      dtype: 'q8',
      source: '/models/model',
      integrity: `sha256-${Buffer.from(sha256Of(readFileSync(join(folder(), PACK_MANIFEST))), 'hex').toString('base64')}`,
    });
  });

  it('for any device holds the precision of each, with its weights beside the graph', async () => {
    const { entry } = await pack({}, {});
    const weights = onDisk().filter((name) => name.startsWith('onnx/'));
    expect(weights).toEqual(['onnx/model_q4.onnx', 'onnx/model_q4.onnx_data', 'onnx/model_quantized.onnx']);
    expect(entry).toMatchObject({ dtype: { wasm: 'q8', webgpu: 'q4' } });
    expect(entry).not.toHaveProperty('device');
  });

  it('says the pooling that only the former name told', async () => {
    const encoder = { 'config.json': text({ architectures: ['BertModel'], model_type: 'bert' }) };
    const [named, told] = ['Xenova/all-MiniLM-L6-v2', 'Xenova/bge-small-en-v1.5'];
    const add = (id: string, files: object): void => {
      for (const [name, bytes] of Object.entries(hubFiles(id, { ...FILES, ...encoder, ...files })))
        server.files.set(name, bytes);
    };
    add(named, {});
    add(told, { '1_Pooling/config.json': text({ pooling_mode_mean_tokens: true }) });
    const entryOf = async (id: string, name: string) =>
      (await packModel({ ...readEntry(id), device: 'wasm' }, { folder: join(place, name), hubURL: server.url })).entry;
    expect(await entryOf(named, 'a')).toMatchObject({ task: 'embeddings', pooling: 'mean' });
    expect(await entryOf(told, 'b')).not.toHaveProperty('pooling');
  });

  it('takes the precision that is named', async () => {
    const { entry } = await pack({}, { device: 'webgpu', dtype: 'q4f16' });
    expect(onDisk().filter((name) => name.startsWith('onnx/'))).toEqual(['onnx/model_q4f16.onnx']);
    expect(entry).toMatchObject({ device: 'webgpu', dtype: 'q4f16' });
  });

  it('goes on where it was broken off', async () => {
    Object.assign(server.behaviour, { chunkBytes: 16 * 1024, chunkPause: 1 });
    for (const share of [0.3, 0.6]) {
      const end = new AbortController();
      const packing = pack({
        signal: end.signal,
        onProgress: ({ file, loadedBytes, totalBytes }) => {
          if (file === 'model_quantized.onnx' && loadedBytes > share * totalBytes) end.abort();
        },
      });
      await expect(packing).rejects.toMatchObject({ code: 'cancelled' });
    }
    server.behaviour.chunkPause = 0;
    await pack();
    const total = FOR_WASM.reduce((sum, name) => sum + FILES[name]!.length, 0);
    // What was between server and us when it ended is lost: sockets hold some.
    expect(server.sent).toBeLessThan(1.3 * total);
    expect(onDisk()).toEqual([...FOR_WASM, PACK_MANIFEST].toSorted());
  });

  it.each(['onnx/model_quantized.onnx', 'tokenizer.json'])(
    'heals one wrong byte in %s, or refuses it',
    async (name) => {
      server.behaviour.lies = { file: `owner/Model/resolve/main/${name}`, at: 3, times: Infinity };
      await expect(pack()).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining(name) as string,
      });
      server.behaviour.lies = { file: `owner/Model/resolve/main/${name}`, at: 3, times: 1 };
      await pack();
      expect(readFileSync(join(folder(), name)).equals(FILES[name]!)).toBe(true);
    },
  );

  it('fetches what changed on the disk between two runs again', async () => {
    const end = new AbortController();
    server.behaviour.chunkPause = 1;
    // The small files are there by then; the run breaks off in the large one.
    const packing = pack({
      signal: end.signal,
      onProgress: ({ file }) => file === 'model_quantized.onnx' && end.abort(),
    });
    await expect(packing).rejects.toMatchObject({ code: 'cancelled' });
    const work = join(folder(), '.inpage-pack');
    const config = readdirSync(work, { recursive: true, encoding: 'utf8' }).find((name) =>
      name.endsWith('config.json'),
    );
    const changed = new TextDecoder().decode(CONFIG).replace('2048', '2049');
    writeFileSync(join(work, config!), changed);
    server.behaviour.chunkPause = 0;
    await pack();
    expect(readFileSync(join(folder(), 'config.json')).equals(CONFIG)).toBe(true);
  });

  it('of one folder over another leaves nothing of the other behind', async () => {
    await pack({}, { device: 'webgpu', dtype: 'q4' });
    await pack({ partBytes: 2 * MB });
    expect(onDisk().filter((name) => name.includes('q4'))).toEqual([]);
    await pack();
    expect(onDisk()).toEqual([...FOR_WASM, PACK_MANIFEST].toSorted());
  });

  it('can be made of a folder of one’s own', async () => {
    await pack();
    rmSync(join(folder(), PACK_MANIFEST));
    const target = join(place, 'public/models/mine');
    const { entry } = await packModel({ ...readEntry(folder()), device: 'wasm' }, { folder: target });
    expect(entry).toMatchObject({ id: 'model', source: '/models/mine' });
    expect(readFileSync(join(target, 'onnx/model_quantized.onnx')).equals(WEIGHTS)).toBe(true);
  });
});

describe('a split pack', () => {
  it('has no file above the size, and is read back as what it was, over several connections', async () => {
    const { entry } = await pack({ partBytes: 2 * MB });
    const sizes = onDisk().map((name) => statSync(join(folder(), name)).size);
    expect(Math.max(...sizes)).toBe(2 * MB);
    servePack();
    server.behaviour.chunkPause = 1;
    server.mostAtOnce = 0;
    const load = filesOf(testStore(), `${server.url}p/`, { integrity: entry.integrity });
    const bytes = await contentOf(load, 'onnx/model_quantized.onnx');
    expect(sha256Of(bytes!)).toBe(sha256Of(WEIGHTS));
    expect(server.mostAtOnce).toBeGreaterThan(1);
    expect(server.mostAtOnce).toBeLessThanOrEqual(4);
  });

  it('goes on in the middle of a part, and is kept', async () => {
    const { entry } = await pack({ partBytes: 2 * MB });
    servePack();
    const store = testStore();
    const read = () =>
      contentOf(filesOf(store, `${server.url}p/`, { integrity: entry.integrity }), 'onnx/model_quantized.onnx');
    Object.assign(server.behaviour, { cuts: 4, cutsAfter: 1.5 * MB, chunkBytes: 16 * 1024 });
    const before = server.sent;
    expect((await read())?.length).toBe(WEIGHTS.length);
    expect(server.sent - before).toBeLessThan(1.1 * WEIGHTS.length);
    await server.close();
    expect((await read())?.length).toBe(WEIGHTS.length);
    server = await startFaultServer();
  });

  it('with one wrong byte is healed, or refused with the file’s name', async () => {
    const { entry } = await pack({ partBytes: 2 * MB });
    servePack();
    const read = () =>
      contentOf(filesOf(testStore(), `${server.url}p/`, { integrity: entry.integrity }), 'onnx/model_quantized.onnx');
    server.behaviour.lies = { file: 'p/onnx/model_quantized.onnx.2', at: 9, times: 1 };
    expect(sha256Of((await read())!)).toBe(sha256Of(WEIGHTS));
    server.behaviour.lies.times = Infinity;
    await expect(read()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('model_quantized.onnx') as string,
    });
  });
});

describe('a manifest', () => {
  it('names all files: the server is not asked for others', async () => {
    const { entry } = await pack();
    servePack();
    const store = testStore();
    const load = filesOf(store, `${server.url}p/`, { integrity: entry.integrity });
    await load.prepare(['config.json', 'generation_config.json']);
    expect(await contentOf(load, 'config.json')).toEqual(CONFIG);
    expect(await contentOf(load, 'generation_config.json')).toBeUndefined();
    expect((await store.storage.list()).find(({ note }) => note.model === `${server.url}p/`)?.note.wanted).toEqual([
      'config.json',
    ]);
    expect(
      server.requests.filter((request) => request.includes('generation_config') && request.includes('p/')),
    ).toEqual([]);
  });

  it('that is another than the entry states is refused', async () => {
    const { entry } = await pack();
    const wrong = manifest();
    wrong.files['config.json']!.sha256 = '0'.repeat(64);
    writeFileSync(join(folder(), PACK_MANIFEST), JSON.stringify(wrong));
    servePack();
    const load = filesOf(testStore(), `${server.url}p/`, { integrity: entry.integrity });
    await expect(contentOf(load, 'config.json')).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('a WebLLM model', () => {
  const weights = someBytes(2 * MB, 8);
  beforeEach(() => {
    const files = {
      'mlc-chat-config.json': text({ context_window_size: 4096 }),
      'tensor-cache.json': text({ records: [{ dataPath: 'params_shard_0.bin', nbytes: weights.length }] }),
      'tokenizer.json': text({ model: {} }),
      'tokenizer_config.json': text({}),
      'params_shard_0.bin': weights,
      'params_shard_9.bin': weights,
    };
    for (const [name, bytes] of Object.entries(hubFiles('mlc-ai/Mine', files))) server.files.set(name, bytes);
    server.files.set('libs/mine-webgpu.wasm', someBytes(4000));
  });

  const mine = (): string =>
    JSON.stringify({
      id: 'mine',
      backend: 'web-llm',
      task: 'chat',
      source: 'mlc-ai/Mine',
      modelLibrary: `${server.url}libs/mine-webgpu.wasm`,
    });

  it('is packed with its library', async () => {
    const packed = await packModel(readEntry(mine()), { folder: folder(), hubURL: server.url });
    expect(onDisk()).toEqual(
      [
        PACK_MANIFEST,
        'mine-webgpu.wasm',
        'mlc-chat-config.json',
        'params_shard_0.bin',
        'tensor-cache.json',
        'tokenizer.json',
        'tokenizer_config.json',
      ].toSorted(),
    );
    expect(packed.entry).toMatchObject({ source: '/models/model', modelLibrary: '/models/model/mine-webgpu.wasm' });
  });

  it('that names files outside of its folder is refused', async () => {
    const outside = text({ records: [{ dataPath: '../params.bin', nbytes: 3 }] });
    for (const [name, bytes] of Object.entries(hubFiles('mlc-ai/Mine', { 'tensor-cache.json': outside })))
      server.files.set(name, bytes);
    server.files.set('mlc-ai/Mine/resolve/params.bin', someBytes(3));
    const packing = packModel(readEntry(mine()), { folder: folder(), hubURL: server.url });
    await expect(packing).rejects.toMatchObject({ message: expect.stringContaining('cannot be packed') as string });
  });
});

describe('what the command line names', () => {
  it('is a hub id, a URL, a model of WebLLM’s list, or an entry', () => {
    expect(readEntry('owner/My-Model')).toEqual({ id: 'my-model', source: 'owner/My-Model', backend: 'transformers' });
    expect(readEntry('https://a.example/x/y/')).toMatchObject({ id: 'y', source: 'https://a.example/x/y/' });
    expect(readEntry('Llama-3.2-1B-Instruct-q4f32_1-MLC')).toMatchObject({ backend: 'web-llm' });
    expect(() => readEntry('nonsense')).toThrow('hub id');
    expect(() => readEntry('{"id":"a","backend":"upstream"}')).toThrow(
      'the entry: The field `backend` must be gguf, transformers or web-llm',
    );
    expect(() => readEntry('{"id":"a","backend":"transformers","sorce":"a/b"}')).toThrow('Did you mean `source`?');
    expect(() => readEntry('{"id":"a","backend":"transformers","task":"chatty"}')).toThrow('one of chat, embeddings');
    expect(() => readEntry('{"id":')).toThrow('the entry: is not JSON.');
    expect(() => readEntry('{"id":"a","backend":"transformers","source":"/models/a"}')).toThrow('absolute URL');
  });
});

describe('a pack without a network', () => {
  it('says why, and leaves nothing', async () => {
    await server.close();
    const failure = await pack().catch((thrown: unknown) => explainPackError(thrown) as Error);
    expect((failure as Error).message).toMatch(/127\.0\.0\.1:\d+ could not be reached: it refused the connection/);
    expect(readdirSync(place)).toEqual([]);
    server = await startFaultServer({});
  });

  it.each([
    ['ENOTFOUND', 'host name is unknown'],
    ['ETIMEDOUT', 'did not answer in time'],
    ['CERT_HAS_EXPIRED', 'certificate is not accepted (CERT_HAS_EXPIRED)'],
  ])('%s: %s', (code, words) => {
    const inner = new AggregateError([Object.assign(new Error('deep'), { code })]);
    const details = { url: 'https://hub.example/config.json' };
    const thrown = new InferenceError('unavailable', 'No file.', details, {
      cause: new TypeError('fetch failed', { cause: inner }),
    });
    expect((explainPackError(thrown) as Error).message).toContain(words);
  });
});
