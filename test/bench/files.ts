/** A page that stores, indexes and searches files (`?embedder=tiny-embed`, else a scripted one); the runner drives it from outside. */
import { DEFAULT_MODELS, type ModelEntry, startInference } from 'inpage';
import type { Chunk } from '../../src/service/files/chunk-text.js';
import { decodeIndex, encodeIndex, type FileIndex } from '../../src/service/files/file-index.js';
import { passes } from '../../src/service/files/filters.js';
import { rankChunks } from '../../src/service/files/rank-chunks.js';

/** What the runner calls. Times are milliseconds. */
export interface FileBench {
  /** Stores files of so many bytes. */
  upload(count: number, bytes: number): Promise<void>;
  /** Indexes them in a store of its own, until all are. */
  index(chunkTokens: number): Promise<number>;
  /** The chunks of the last store, as they are embedded. */
  readChunks(): Promise<number>;
  /** The same chunks, in requests of 32. */
  embed(): Promise<number>;
  /** A search in the last store, which outlives a reload. */
  search(): Promise<number>;
  /** Reads so many bytes of the browser's private file system. */
  readBytes(): Promise<number>;
  /** Ranks this many chunks of 384 numbers; and the plain loop over the same numbers. */
  rank(chunks: number): { ours: number; plain: number };
}

const SCRIPTED: ModelEntry = { id: 'embed', task: 'embeddings', backend: 'scripted', script: { replies: [] } };
const wanted = new URLSearchParams(location.search).get('embedder');
const model = DEFAULT_MODELS.find(({ id }) => id === wanted) ?? SCRIPTED;
const inference = await startInference({
  serviceWorker: false,
  rateLimits: { requestsPerMinute: 1e9, requestsPerDay: 1e9 },
  models: [model],
});

const STORE = 'bench-store';
let files: string[] = [];
let chunks: string[] = [];

async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const init = { method, ...(body && { body: body instanceof FormData ? body : JSON.stringify(body) }) };
  const response = await inference.fetch(inference.baseURL + path, init);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Answer;
}

/** Words of letters in an order that looks like one, with one word that is in each chunk. */
function makeText(bytes: number, seed: number): string {
  let state = seed + 1;
  let text = '';
  while (text.length < bytes) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const word = (state >>> 8).toString(36).replaceAll(/\d/g, 'e');
    text += state % 11 === 0 ? `${word} common. ` : `${word} `;
  }
  return text.slice(0, bytes);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function finished(store: string): Promise<void> {
  for (;;) {
    const { status } = await call<{ status: string }>('GET', `/vector_stores/${store}`);
    if (status === 'completed') return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const WORDS = { hybrid_search: { embedding_weight: 0, text_weight: 1 } };

const bench: FileBench = {
  async upload(count, bytes) {
    files = [];
    for (let index = 0; index < count; index += 1) {
      const form = new FormData();
      form.set('purpose', 'assistants');
      form.set('file', new File([makeText(bytes, index)], `${index}.txt`));
      files.push((await call<{ id: string }>('POST', '/files', form)).id);
    }
  },
  async index(chunkTokens) {
    const before = localStorage.getItem(STORE);
    if (before !== null) await call('DELETE', `/vector_stores/${before}`);
    const { id } = await call<{ id: string }>('POST', '/vector_stores', {});
    localStorage.setItem(STORE, id);
    const chunking_strategy = {
      type: 'static',
      static: { max_chunk_size_tokens: chunkTokens, chunk_overlap_tokens: 0 },
    };
    const batch = files.map((file_id, number) => ({ file_id, attributes: { number }, chunking_strategy }));
    return timed(async () => {
      await call('POST', `/vector_stores/${id}/file_batches`, { files: batch });
      await finished(id);
    });
  },
  async readChunks() {
    chunks = [];
    for (let value = 0; value < files.length; value += 1) {
      const filters = { type: 'eq', key: 'number', value };
      const asked = { query: 'common', filters, max_num_results: 50, ranking_options: WORDS };
      const store = localStorage.getItem(STORE);
      const { data } = await call<{ data: { content: { text: string }[] }[] }>(
        'POST',
        `/vector_stores/${store}/search`,
        asked,
      );
      chunks.push(...data.map(({ content }) => content[0]!.text));
    }
    return chunks.length;
  },
  embed: () =>
    timed(async () => {
      for (let from = 0; from < chunks.length; from += 32)
        await call('POST', '/embeddings', { model: model.id, input: chunks.slice(from, from + 32) });
    }),
  search: () =>
    timed(() => call('POST', `/vector_stores/${localStorage.getItem(STORE)}/search`, { query: 'a common word' })),
  readBytes: () =>
    timed(async () => {
      const root = await navigator.storage.getDirectory();
      const folder = await root.getDirectoryHandle('inpage-files');
      const entries = (folder as unknown as { values(): AsyncIterable<FileSystemFileHandle> }).values();
      for await (const handle of entries)
        if (handle.name.endsWith('.index')) await (await handle.getFile()).arrayBuffer();
    }),
  rank: (count) => rankOften(count),
};

const NUMBERS = 384;
const FILES = 100;
const TURNS = 20;

function rankOften(count: number): { ours: number; plain: number } {
  const indexes = Array.from({ length: FILES }, (_, file) => makeIndex(count / FILES, file));
  const query = unitVector(7);
  const filter = { type: 'ne', key: 'number', value: -1 } as const;
  const settings = { weights: { vectors: 1, words: 1 }, threshold: 0, limit: 10 };
  const queries = [{ text: 'a common word', vector: query }];
  const ranked = (): unknown => rankChunks(indexes, (number) => passes({ number }, filter), { queries, ...settings });
  const looped = (): unknown => indexes.map((index) => largestProduct(index, query));
  ranked();
  looped();
  return { ours: meanTime(ranked), plain: meanTime(looped) };
}

function meanTime(work: () => unknown): number {
  const start = performance.now();
  for (let turn = 0; turn < TURNS; turn += 1) work();
  return (performance.now() - start) / TURNS;
}

function largestProduct({ vectors }: FileIndex, query: Float32Array): number {
  let largest = 0;
  for (let at = 0; at < vectors.length;) {
    let sum = 0;
    for (let place = 0; place < NUMBERS; place += 1, at += 1) sum += query[place]! * vectors[at]!;
    if (sum > largest) largest = sum;
  }
  return largest;
}

function unitVector(seed: number): Float32Array {
  const vector = Float32Array.from({ length: NUMBERS }, (_, index) => Math.sin(seed * 31 + index * 7));
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function makeIndex(count: number, file: number): FileIndex {
  const size = 800;
  const text = makeText(count * size, file);
  const parts = Array.from({ length: count }, (_, index): Chunk => {
    const span = { start: index * size, end: (index + 1) * size };
    return { ...span, parts: [span] };
  });
  const vectors = parts.map((_, index) => unitVector(file * count + index));
  return decodeIndex(encodeIndex(text, parts, vectors))!;
}

Object.assign(window, { bench });
