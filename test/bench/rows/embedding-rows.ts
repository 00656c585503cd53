/** 256 mixed texts in one request, over the pipeline with the same array and over one call per text. */
import { askWorker } from '../ask-worker.js';
import { type BenchRow, compare } from '../bench-row.js';
import { mixedTexts } from '../mixed-texts.js';
import type { EmbeddingOrder } from '../embedding-worker.js';

const TEXTS = 256;

type Kind = EmbeddingOrder['kind'];

export async function embeddingRows(): Promise<BenchRow[]> {
  const start = (): Worker => new Worker(new URL('../embedding-worker.ts', import.meta.url), { type: 'module' });
  const [own, bare] = [start(), start()];
  const texts = await mixedTexts(TEXTS);
  let first: number[] = [];
  const measure = (kind: Kind) => async (): Promise<number> => {
    const order: EmbeddingOrder = { kind, origin: location.origin, texts };
    const { rate, vector } = await askWorker<{ rate: number; vector: number[] }>(kind === 'ours' ? own : bare, order);
    // Faster vectors that mean something else would prove nothing.
    if (first.length === 0) first = vector;
    const likeness = vector.reduce((sum, value, index) => sum + value * (first[index] ?? 0), 0);
    if (vector.length > 0 && likeness < 0.999) throw new Error(`${kind} gave another vector.`);
    return rate;
  };
  const rows = [
    await compare(
      { name: `embeddings: ${TEXTS} mixed texts, one request over the pipeline`, goal: 2, unit: 'texts/s' },
      measure('ours'),
      measure('pipeline'),
    ),
    await compare(
      { name: `embeddings: ${TEXTS} mixed texts, one request over one by one`, goal: 2, unit: 'texts/s' },
      measure('ours'),
      measure('one-by-one'),
    ),
  ];
  own.terminate();
  bare.terminate();
  return rows;
}
