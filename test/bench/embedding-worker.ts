/** Our embedder, or transformers.js's own pipeline as it comes, on the same file; each in a worker of its own. */
import { env, pipeline } from '@huggingface/transformers';
import { loadEmbeddingModel } from '../../src/engines/transformers/embeddings/load-embedding-model.js';
import { DEFAULT_MODELS } from '../../src/core/models/default-catalog.js';

/** What to measure: all texts in one call of ours, in one call of the pipeline, or in one call each. */
export interface EmbeddingOrder {
  kind: 'ours' | 'pipeline' | 'one-by-one';
  origin: string;
  texts: string[];
}

const { signal } = new AbortController();

async function loadOurs(origin: string) {
  const entry = DEFAULT_MODELS.find(({ task }) => task === 'embeddings');
  if (!entry) throw new Error('There is no bundled embedder.');
  const urls = { assetsURL: `${origin}/inpage/`, pageURL: `${origin}/` };
  return loadEmbeddingModel(entry, { onProgress: () => {}, signal, ...urls });
}

/** Nothing is set but where its files are. */
async function loadPeer(origin: string) {
  const file = `${origin}/ort/ort-wasm-simd-threaded.asyncify`;
  Object.assign(env.backends.onnx.wasm ?? {}, { wasmPaths: { mjs: `${file}.mjs`, wasm: `${file}.wasm` } });
  Object.assign(env, { allowLocalModels: true, allowRemoteModels: false, localModelPath: '/' });
  return pipeline('feature-extraction', '/models/tiny-embed', { device: 'wasm', dtype: 'q8' });
}

let ours: ReturnType<typeof loadOurs> | undefined;
let peer: ReturnType<typeof loadPeer> | undefined;

/** Texts per second, and the first vector, which must be the same whoever made it. */
async function measure({ kind, origin, texts }: EmbeddingOrder): Promise<{ rate: number; vector: number[] }> {
  const own = kind === 'ours' ? await (ours ??= loadOurs(origin)) : undefined;
  const bare = kind === 'ours' ? undefined : await (peer ??= loadPeer(origin));
  const options = { pooling: 'mean', normalize: true } as const;
  let vector: number[] = [];
  const start = performance.now();
  if (own) {
    const result = await own.embed?.({ model: 'tiny-embed', inputs: texts }, signal);
    vector = Array.from(result?.vectors[0] ?? []);
  } else if (kind === 'pipeline') {
    vector = ((await bare?.(texts, options))?.tolist() as number[][] | undefined)?.[0] ?? [];
  } else {
    for (const text of texts) await bare?.(text, options);
  }
  return { rate: texts.length / ((performance.now() - start) / 1000), vector };
}

globalThis.addEventListener('message', ({ data }: MessageEvent<EmbeddingOrder>) => {
  measure(data).then(
    (result) => globalThis.postMessage(result),
    (error: unknown) => globalThis.postMessage({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
