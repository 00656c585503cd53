/** Repositories laid out as published ones are, on a stand-in of the hub: which files are taken, and that the model runs. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { loadEmbeddingModel } from '../../../src/engines/transformers/embeddings/load-embedding-model.js';
import { chooseForPack } from '../../../src/engines/transformers/transformers-pack.js';
import { transformersBackend } from '../../../src/engines/transformers/transformers-backend.js';
import { loadTextModel } from '../../../src/engines/transformers/text/load-text-model.js';
import { openModelFiles } from '../../../src/store/open-model-files.js';
import { testStore } from '../../store/support/node-store.js';
import { collectEvents, piecesOf } from '../../support/token-events.js';
import { decoderForm } from './classes/decoder-forms.js';
import { type DecoderForm, expectedTokens, received } from './classes/made-decoder.js';
import { madeModel } from './classes/made-model.js';
import { makeEmbedder, vectorOf } from './classes/made-text-encoder.js';
import { LOAD } from './support/web-build.js';
import { wordTokenizer } from './support/word-tokenizer.js';

vi.mock('@huggingface/transformers', async () => (await import('./support/web-build.js')).webBuild());
const store = vi.hoisted(() => ({ current: undefined as unknown }));
vi.mock('../../../src/store/storage/store-environment.js', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  storeOf: async () => store.current,
}));
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const HUB = 'https://huggingface.co/';
const PROMPT = [3, 1, 4, 1, 5, 9, 2, 6];
const COUNT = 3;
let models = 0;

type Files = Map<string, Uint8Array<ArrayBuffer>>;

/** The hub with one repository. @param isListed whether it tells its files */
function serve(files: Files, isListed = true) {
  store.current = testStore();
  vi.spyOn(console, 'warn').mockReturnValue();
  // The library remembers configs by id.
  const id = `owner/made-${models++}`;
  const opened = new Set<string>();
  vi.stubGlobal('fetch', async (url: string | URL, { method = 'GET' }: RequestInit = {}) => {
    const path = decodeURIComponent(String(url).slice(HUB.length));
    if (path.startsWith(`api/models/${id}/tree/main`)) {
      const tree = [...files].map(([name, bytes]) => ({ type: 'file', path: name, size: bytes.length }));
      return isListed ? Response.json(tree) : new Response(null, { status: 403 });
    }
    const file = path.slice(`${id}/resolve/main/`.length);
    const bytes = files.get(file);
    if (!bytes) return new Response(null, { status: 404 });
    if (method !== 'HEAD') opened.add(file);
    return new Response(method === 'HEAD' ? null : bytes, { headers: { 'content-length': String(bytes.length) } });
  });
  const entry = { id, task: 'chat', backend: 'transformers', source: id, device: 'wasm' } as const satisfies ModelEntry;
  return { entry, opened };
}

const graphsIn = (names: Iterable<string>): string[] =>
  [...names].filter((name) => name.startsWith('onnx/')).toSorted();

/** The repository of a class, with its files under other names and a config with other fields. */
function repository(
  type: string,
  {
    form,
    rename = {},
    config = {},
    without = [],
  }: {
    form?: Partial<DecoderForm>;
    rename?: Record<string, string>;
    config?: object;
    without?: readonly string[];
  } = {},
): { files: Files; form: DecoderForm } {
  const whole = { ...decoderForm(type), ...form };
  const made = madeModel({ title: type, type, architecture: 'MadeForCausalLM', form: whole, graphs: [] });
  const files: Files = new Map();
  for (const [name, bytes] of made) {
    if (!without.includes(name)) files.set(rename[name] ?? name, bytes);
  }
  const own = JSON.parse(new TextDecoder().decode(made.get('config.json'))) as Record<string, unknown>;
  files.set('config.json', new TextEncoder().encode(JSON.stringify({ ...own, ...config })));
  return { files, form: whole };
}

/** Loads a chat model and lets it answer; once more from what is kept, without a network. */
async function answers(entry: ModelEntry, form: DecoderForm): Promise<void> {
  for (const isOnline of [true, false]) {
    if (!isOnline) vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('Failed to fetch')));
    const model = await loadTextModel(entry, LOAD);
    const request = { ...plainGenerationRequest(entry.id, { type: 'tokens', ids: PROMPT }), maxTokens: COUNT, n: 2 };
    const pieces = piecesOf(await collectEvents(model.generate(request, LOAD.signal)));
    const expected = expectedTokens(form, received(form, PROMPT), COUNT);
    for (const choice of [0, 1]) {
      expect(pieces.filter((piece) => piece.choice === choice).map(({ token }) => token)).toEqual(expected);
    }
    await model.unload();
  }
}

const own = (fields: object): object => ({ 'transformers.js_config': fields });
const MODEL = 'onnx/model.onnx';

describe('a decoder of text', () => {
  it.each<[string, Parameters<typeof repository>, string[]]>([
    ['in 8 bits', ['llama', { rename: { [MODEL]: 'onnx/model_quantized.onnx' } }], ['onnx/model_quantized.onnx']],
    [
      'whose weights are in shards, as its config says by file',
      [
        'llama',
        {
          form: { shards: 3 },
          config: own({ use_external_data_format: { 'model.onnx': 3, 'model_q4.onnx': 1 }, kv_cache_dtype: 'float16' }),
        },
      ],
      [MODEL, `${MODEL}_data`, `${MODEL}_data_1`, `${MODEL}_data_2`],
    ],
    [
      'whose weights are in one file, as its config says for all',
      ['llama', { form: { shards: 1 }, config: own({ use_external_data_format: true }) }],
      [MODEL, `${MODEL}_data`],
    ],
    [
      'whose weights are in shards, of which its config says nothing',
      ['llama', { form: { shards: 2 }, config: own({ dtype: 'q4f16' }) }],
      [MODEL, `${MODEL}_data`, `${MODEL}_data_1`],
    ],
    [
      'whose weights are in its graph, though its config says that all have a file for them',
      ['llama', { config: own({ use_external_data_format: true }) }],
      [MODEL],
    ],
    [
      'whose weights are in its graph, though its config says that those of other precisions are not',
      ['llama', { config: own({ use_external_data_format: { model: 2 } }) }],
      [MODEL],
    ],
    [
      'as version 2 of the library had them',
      ['gpt2', { form: { branch: true, positions: 'none' }, rename: { [MODEL]: 'onnx/decoder_model_merged.onnx' } }],
      ['onnx/decoder_model_merged.onnx'],
    ],
    [
      'with a fixed batch',
      ['llama', { config: own({ device_config: { wasm: { free_dimension_overrides: { batch_size: 1 } } } }) }],
      [MODEL],
    ],
    ['in 1 bit alone', ['llama', { rename: { [MODEL]: 'onnx/model_q1.onnx' } }], ['onnx/model_q1.onnx']],
    ['without a config for generation', ['llama', { without: ['generation_config.json'] }], [MODEL]],
    ['without a config of its tokenizer', ['llama', { without: ['tokenizer_config.json'] }], [MODEL]],
  ])('%s', async (_, given, expected) => {
    const { files, form } = repository(...given);
    const { entry, opened } = serve(files);
    await answers(entry, form);
    expect(graphsIn(opened)).toEqual(expected);
  });

  it('as version 2 of the library had them, where nobody lists files', async () => {
    const { files, form } = repository('gpt2', {
      form: { branch: true, positions: 'none' },
      rename: { [MODEL]: 'onnx/decoder_model_merged_quantized.onnx' },
    });
    const { entry, opened } = serve(files, false);
    await answers(entry, form);
    expect(graphsIn(opened)).toEqual(['onnx/decoder_model_merged_quantized.onnx']);
  });

  it('as version 2 of the library had them, in the precision that its entry says', async () => {
    const { files, form } = repository('gpt2', {
      form: { branch: true, positions: 'none' },
      rename: { [MODEL]: 'onnx/decoder_model_merged_q4.onnx' },
    });
    const { entry, opened } = serve(files);
    await answers({ ...entry, dtype: 'q4' }, form);
    expect(graphsIn(opened)).toEqual(['onnx/decoder_model_merged_q4.onnx']);
  });

  it.each<[string, Partial<DecoderForm>, object, RegExp]>([
    [
      'of which a part of the weights is missing',
      { shards: 2 },
      {},
      /model\.onnx_data_1 returned status 404.*A part of the weights/,
    ],
    [
      'whose config tells of more weights than there are',
      {},
      own({ use_external_data_format: { 'model.onnx': 1 } }),
      /model\.onnx_data returned status 404/,
    ],
  ])('%s is refused, and names the file', async (_, form, config, message) => {
    const { files } = repository('llama', { form, config });
    files.delete(`${MODEL}_data_1`);
    const { entry } = serve(files);
    await expect(loadTextModel(entry, LOAD)).rejects.toThrow(message);
  });

  it.each<[string, string, string, RegExp]>([
    [
      'a pointer of Git LFS',
      MODEL,
      'version https://git-lfs.github.com/spec/v1\noid sha256:1f\nsize 9',
      /Git LFS pointer/,
    ],
    ['a text that is no JSON', 'chat_template.json', '{"chat_template": ', /chat_template\.json is not JSON/],
    ['a config without a class', 'config.json', '{"vocab_size": 9}', /names no `model_type`/],
  ])('%s in place of a file is named', async (_, name, content, message) => {
    const { files } = repository('llama');
    files.set(name, new TextEncoder().encode(content));
    const { entry } = serve(files);
    await expect(loadTextModel(entry, LOAD)).rejects.toThrow(message);
  });

  it('whose weights cannot be fetched fails, and does not wait for ever', async () => {
    const { files } = repository('llama', { form: { shards: 1 } });
    const { entry } = serve(files);
    const { fetch } = globalThis;
    vi.stubGlobal('fetch', async (url: string | URL, init?: RequestInit) =>
      String(url).endsWith('_data') && init?.method !== 'HEAD' ? new Response(null, { status: 451 }) : fetch(url, init),
    );
    await expect(loadTextModel(entry, LOAD)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/model\.onnx_data returned status 451/) as string,
    });
  });

  it('is downloaded and packed as it is loaded', async () => {
    const { files } = repository('gpt2', {
      form: { branch: true, positions: 'none', shards: 2 },
      rename: { [MODEL]: 'onnx/decoder_model_merged.onnx' },
    });
    const shards = ['', '_1'].map((end) => `onnx/decoder_model_merged.onnx_data${end}`);
    for (const [place, name] of shards.entries())
      files.set(name, files.get(`${MODEL}_data${place === 0 ? '' : '_1'}`)!);
    const expected = ['onnx/decoder_model_merged.onnx', ...shards];
    const { entry, opened } = serve(files);
    await transformersBackend.fetchFiles!(entry, LOAD);
    expect(graphsIn(opened)).toEqual(expected);
    const packed = await chooseForPack(entry, await openModelFiles(entry, `${HUB}${entry.id}/resolve/main/`, LOAD));
    expect(graphsIn(packed.files)).toEqual(expected);
  });
});

describe('an embedding model', () => {
  it('of a fixed batch answers several texts', async () => {
    const form = { inputs: ['token_type_ids'] } as const;
    const text = (content: unknown): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(content));
    const files: Files = new Map([
      ['onnx/model.onnx', Uint8Array.from(Buffer.concat(makeEmbedder(form).toMessage()))],
      ['1_Pooling/config.json', text({ pooling_mode: 'mean' })],
      [
        'config.json',
        text({
          model_type: 'bert',
          architectures: ['BertModel'],
          vocab_size: 8,
          ...own({ free_dimension_overrides: { batch_size: 1 } }),
        }),
      ],
    ]);
    for (const [name, content] of Object.entries(wordTokenizer(['a', 'b', 'c']))) files.set(name, text(content));
    const { entry } = serve(files);
    const model = await loadEmbeddingModel({ ...entry, task: 'embeddings' }, LOAD);
    const { vectors } = await model.embed!({ model: entry.id, inputs: ['a b', 'c c', 'a'] }, LOAD.signal);
    const texts = [
      [1, 4, 5, 2],
      [1, 6, 6, 2],
      [1, 4, 2],
    ];
    const unit = vectorOf(form, [])[1]!;
    const given = vectors.map(([sum, one]) => Math.round((sum! / one!) * unit));
    expect(given).toEqual(texts.map((ids) => vectorOf(form, ids)[0]));
  });
});
