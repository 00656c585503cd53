/**
 * A page that makes the vector of one short text again and again: by `fetch`, by `inference.fetch`, or by the bare pipeline in a
 * worker (`?by=fetch|inference|pipeline`). The runner measures processor time from outside.
 */
import { startInference } from 'inpage';
import { askWorker } from './ask-worker.js';
import { median } from './bench-row.js';
import type { EmbeddingOrder } from './embedding-worker.js';

/** Makes so many vectors, one after the other. Resolves with the milliseconds of the middle one. */
export type EmbedOften = (requests: number) => Promise<number>;

/** A query as people type it. */
const TEXT = 'when does my train leave';

async function askService(by: string | null): Promise<() => Promise<void>> {
  const inference = await startInference({ rateLimits: { requestsPerMinute: 1e9, requestsPerDay: 1e9 } });
  const ask = by === 'fetch' ? fetch : inference.fetch;
  const body = JSON.stringify({ model: 'tiny-embed', input: TEXT });
  const headers = { 'content-type': 'application/json' };
  return async () => {
    const response = await ask(`${inference.baseURL}/embeddings`, { method: 'POST', headers, body });
    const answer = (await response.json()) as { data?: { embedding: number[] }[] };
    if (answer.data?.[0]?.embedding.length !== 256) throw new Error(JSON.stringify(answer).slice(0, 300));
  };
}

function askPipeline(): () => Promise<object> {
  const worker = new Worker(new URL('./embedding-worker.ts', import.meta.url), { type: 'module' });
  const order: EmbeddingOrder = { kind: 'one-by-one', origin: location.origin, texts: [TEXT] };
  return () => askWorker(worker, order);
}

const by = new URLSearchParams(location.search).get('by');
const ask = by === 'pipeline' ? askPipeline() : await askService(by);
const bench: EmbedOften = async (requests) => {
  const took: number[] = [];
  for (let request = 0; request < requests; request++) {
    const start = performance.now();
    await ask();
    took.push(performance.now() - start);
  }
  return median(took);
};
Object.assign(window, { bench });
