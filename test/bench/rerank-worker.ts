/** Our reranker, or transformers.js's own class with batches of a size, on the same file; each in a worker of its own. */
import { AutoModelForSequenceClassification, AutoTokenizer, env } from '@huggingface/transformers';
import type { ModelEntry } from '../../src/core/models/model-entry.js';
import { loadRankingModel } from '../../src/engines/transformers/ranking/load-ranking-model.js';

/** @param batch documents at a time in the bare library; 0: ours, all in one request */
export interface RerankOrder {
  batch: number;
  origin: string;
  query: string;
  documents: string[];
}

const { signal } = new AbortController();
const SOURCE = '/ranking/ranker';

async function loadOurs(origin: string) {
  const entry: ModelEntry = { id: 'ranker', task: 'rerank', backend: 'transformers', source: SOURCE };
  const urls = { assetsURL: `${origin}/inpage/`, pageURL: `${origin}/` };
  return loadRankingModel(entry, { onProgress: () => {}, signal, ...urls });
}

/** Nothing is set but where its files are. */
async function loadPeer(origin: string) {
  const file = `${origin}/ort/ort-wasm-simd-threaded.asyncify`;
  Object.assign(env.backends.onnx.wasm ?? {}, { wasmPaths: { mjs: `${file}.mjs`, wasm: `${file}.wasm` } });
  Object.assign(env, { allowLocalModels: true, allowRemoteModels: false, localModelPath: '/' });
  const tokenizer = await AutoTokenizer.from_pretrained(SOURCE);
  const model = await AutoModelForSequenceClassification.from_pretrained(SOURCE, { device: 'wasm', dtype: 'q8' });
  return { tokenizer, model };
}

let ours: ReturnType<typeof loadOurs> | undefined;
let peer: ReturnType<typeof loadPeer> | undefined;

/** Documents per second, and the scores by the documents' indices. */
async function measure({ batch, origin, query, documents }: RerankOrder): Promise<{ rate: number; scores: number[] }> {
  const own = batch === 0 ? await (ours ??= loadOurs(origin)) : undefined;
  if (batch > 0) await (peer ??= loadPeer(origin));
  const start = performance.now();
  const scores = own
    ? (await own.rerank!({ model: 'ranker', query, documents }, signal)).scores
    : await inBatches(query, documents, batch);
  return { rate: documents.length / ((performance.now() - start) / 1000), scores };
}

async function inBatches(query: string, documents: readonly string[], batch: number): Promise<number[]> {
  const { tokenizer, model } = (await peer)!;
  const scores: number[] = [];
  for (let first = 0; first < documents.length; first += batch) {
    const some = documents.slice(first, first + batch);
    const inputs = tokenizer(
      some.map(() => query),
      { text_pair: some, padding: true, truncation: true },
    );
    const { logits } = await model(inputs);
    scores.push(...Array.from(logits.data as Float32Array, (logit) => 1 / (1 + Math.exp(-logit))));
  }
  return scores;
}

globalThis.addEventListener('message', ({ data }: MessageEvent<RerankOrder>) => {
  measure(data).then(
    (result) => globalThis.postMessage(result),
    (error: unknown) => globalThis.postMessage({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
