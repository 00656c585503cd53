/** Our embedder and transformers.js's own pipeline on the same file in the same worker. */
import { pipeline } from '@huggingface/transformers';
import { loadEmbeddingModel } from '../../src/backends/transformers/embeddings/load-embedding-model.js';
import { DEFAULT_MODELS } from '../../src/models/default-catalog.js';

/** What to measure: all texts in one call of ours, in one call of the pipeline, or in one call each. */
export interface EmbeddingOrder {
  kind: 'ours' | 'pipeline' | 'one-by-one';
  origin: string;
  texts: string[];
}

const { signal } = new AbortController();

async function load(origin: string) {
  const entry = DEFAULT_MODELS.find(({ task }) => task === 'embeddings');
  if (!entry) throw new Error('There is no bundled embedder.');
  const urls = { assetsURL: `${origin}/inpage/`, pageURL: `${origin}/` };
  const ours = await loadEmbeddingModel(entry, { onProgress: () => {}, signal, ...urls });
  const peer = await pipeline('feature-extraction', '/models/tiny-embed', { device: 'wasm', dtype: 'q8' });
  return { ours, peer };
}
let loaded: ReturnType<typeof load> | undefined;

/** Texts per second, and the first vector, which must be the same whoever made it. */
async function measure({ kind, origin, texts }: EmbeddingOrder): Promise<{ rate: number; vector: number[] }> {
  loaded ??= load(origin);
  const { ours, peer } = await loaded;
  const options = { pooling: 'mean', normalize: true } as const;
  let vector: number[] = [];
  const start = performance.now();
  if (kind === 'ours') {
    const result = await ours.embed?.({ model: 'tiny-embed', inputs: texts }, signal);
    vector = Array.from(result?.vectors[0] ?? []);
  } else if (kind === 'pipeline') {
    vector = ((await peer(texts, options)).tolist() as number[][])[0] ?? [];
  } else {
    for (const text of texts) await peer(text, options);
  }
  return { rate: texts.length / ((performance.now() - start) / 1000), vector };
}

globalThis.addEventListener('message', ({ data }: MessageEvent<EmbeddingOrder>) => {
  measure(data).then(
    (result) => globalThis.postMessage(result),
    (error: unknown) => globalThis.postMessage({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
