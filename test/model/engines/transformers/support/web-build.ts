/**
 * The library's web build and ONNX Runtime's WASM, in Node: a test file that mocks `@huggingface/transformers` with this
 * loads models as a worker of a browser does, from a store in memory that `fetch` fills.
 */
import { readFile } from 'node:fs/promises';
import type { LoadOptions } from '../../../../../src/core/models/backend.js';

const root = new URL('../../../../../', import.meta.url);

/** What the tests' entries have as folder of their models' folders. */
const MODELS = 'http://localhost/models/';

export async function webBuild(): Promise<object> {
  Object.defineProperty(process.release, 'name', { value: 'browser' });
  return import(
    new URL('node_modules/@huggingface/transformers/dist/transformers.web.js', root).href
  ) as Promise<object>;
}

/** Repositories by name, of files by name: bytes, texts, or what is written as JSON. */
type Repositories = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A server of models, for `vi.stubGlobal('fetch', …)`. */
export function modelServer(repositories: Repositories) {
  const asked: string[] = [];
  return {
    /** Files that were asked for, without the name of their repository. */
    asked,
    async fetch(url: string, { method = 'GET' }: RequestInit = {}): Promise<Response> {
      const [, repository = '', file = ''] = new RegExp(`^${MODELS}([^/]+)/(.*)$`).exec(decodeURIComponent(url)) ?? [];
      asked.push(file);
      const content = repositories[repository]?.[file];
      if (content === undefined) return new Response(null, { status: 404 });
      const bytes = bytesOf(content);
      return new Response(method === 'HEAD' ? null : bytes, { headers: { 'content-length': String(bytes.length) } });
    },
  };
}

function bytesOf(content: unknown): Uint8Array<ArrayBuffer> {
  if (content instanceof Uint8Array) return Uint8Array.from(content);
  return new TextEncoder().encode(typeof content === 'string' ? content : JSON.stringify(content));
}

/** The named files of a folder of this repository, such as `public/models/tiny-chat/`. */
export async function filesOfFolder(folder: string, names: readonly string[]): Promise<Record<string, Uint8Array>> {
  const contents = names.map(async (name) => [name, await readFile(new URL(folder + name, root))] as const);
  return Object.fromEntries(await Promise.all(contents));
}

/** Where the app's files are, and where its models are asked for. */
export const LOAD: LoadOptions = {
  onProgress: () => {},
  signal: new AbortController().signal,
  assetsURL: new URL('node_modules/onnxruntime-web/dist/', root).href,
  pageURL: 'http://localhost/',
};

/** A tokenizer of whole words, which adds `[CLS]` (1) and `[SEP]` (2); the words have the ids from 4 on. */
export function wordTokenizer(words: readonly string[]): Record<string, unknown> {
  const controls = ['[PAD]', '[CLS]', '[SEP]', '[UNK]'];
  const added = controls.map((content, id) => ({ id, content, special: true, normalized: false }));
  const special = (id: string, index: number) => ({ [id]: { id, ids: [index], tokens: [id] } });
  return {
    'tokenizer.json': {
      version: '1.0',
      added_tokens: added,
      normalizer: null,
      pre_tokenizer: { type: 'BertPreTokenizer' },
      post_processor: {
        type: 'TemplateProcessing',
        single: ['[CLS]', 'A', '[SEP]'].map((id) =>
          id === 'A' ? { Sequence: { id, type_id: 0 } } : { SpecialToken: { id, type_id: 0 } },
        ),
        pair: [],
        special_tokens: { ...special('[CLS]', 1), ...special('[SEP]', 2) },
      },
      decoder: null,
      model: {
        type: 'WordPiece',
        unk_token: '[UNK]',
        continuing_subword_prefix: '##',
        max_input_chars_per_word: 100,
        vocab: Object.fromEntries([...controls, ...words].map((word, id) => [word, id])),
      },
    },
    'tokenizer_config.json': {
      tokenizer_class: 'PreTrainedTokenizerFast',
      pad_token: '[PAD]',
      unk_token: '[UNK]',
      model_max_length: 32,
    },
  };
}
