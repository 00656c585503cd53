/** 100 documents of mixed lengths in one request, over the bare library one by one and in its best batch. */
import { askWorker } from '../ask-worker.js';
import { type BenchRow, compare } from '../bench-row.js';
import { mixedTexts } from '../mixed-texts.js';
import type { RerankOrder } from '../rerank-worker.js';

const DOCUMENTS = 100;
const QUERY = 'When does the boat go to the island?';
const BATCHES = [4, 8, 16, 32, DOCUMENTS];

/** 8-bit graphs of the bare library give a document another score beside others. */
const SAME = 0.05;

export async function rerankRows(): Promise<BenchRow[]> {
  const start = (): Worker => new Worker(new URL('../rerank-worker.ts', import.meta.url), { type: 'module' });
  const [own, bare] = [start(), start()];
  const documents = await mixedTexts(DOCUMENTS);
  let first: readonly number[] | undefined;
  const rate = async (batch: number): Promise<number> => {
    const order: RerankOrder = { batch, origin: location.origin, query: QUERY, documents };
    const { rate: found, scores } = await askWorker<{ rate: number; scores: number[] }>(
      batch === 0 ? own : bare,
      order,
    );
    // Faster scores that mean something else would prove nothing.
    first ??= scores;
    const expected = first;
    if (scores.some((score, index) => Math.abs(score - expected[index]!) > SAME))
      throw new Error(`${batch}: other scores.`);
    return found;
  };
  const rates: [batch: number, rate: number][] = [];
  for (const batch of [1, ...BATCHES]) await rate(batch);
  for (const batch of BATCHES) rates.push([batch, await rate(batch)]);
  const [best] = rates.toSorted(([, a], [, b]) => b - a)[0]!;
  const rows = [
    await compare(
      { name: `rerank: ${DOCUMENTS} documents over one by one`, goal: 2, unit: 'documents/s' },
      () => rate(0),
      () => rate(1),
    ),
    await compare(
      { name: `rerank: ${DOCUMENTS} documents over the best batch (${best})`, goal: 1, unit: 'documents/s' },
      () => rate(0),
      () => rate(best),
    ),
  ];
  own.terminate();
  bare.terminate();
  return rows;
}
