/** The first token about an image over the bare library's, for the first question and for the second. */
import { type BenchRow, compare } from '../bench-row.js';
import type { VisionOrder } from '../vision-worker.js';

const ROUNDS = 9;

export async function visionRows(): Promise<BenchRow[]> {
  const spawn = (): Worker => new Worker(new URL('../vision-worker.ts', import.meta.url), { type: 'module' });
  const workers = { ours: spawn(), bare: spawn() };
  const measure = (kind: VisionOrder['kind'], second: boolean) => {
    // Another picture in each row and round.
    let round = second ? 100 : 0;
    return async (): Promise<number> => {
      round += 1;
      const { time, token } = await ask(workers[kind], { kind, origin: location.origin, round, second });
      // A faster answer that begins otherwise would prove nothing.
      if ((tokens.get(round) ?? token) !== token) throw new Error(`${kind} began otherwise in round ${round}.`);
      tokens.set(round, token);
      return time / 1000;
    };
  };
  const tokens = new Map<number, number>();
  const rows: BenchRow[] = [];
  for (const [name, second, goal] of [
    ['first token about an image over transformers.js', false, 1.02],
    ['first token of the second turn over transformers.js', true, 0.3],
  ] as const) {
    const row = { name, goal, unit: 's', lower: true };
    rows.push(await compare(row, measure('ours', second), measure('bare', second), ROUNDS));
  }
  for (const worker of Object.values(workers)) worker.terminate();
  return rows;
}

function ask(worker: Worker, order: VisionOrder): Promise<{ time: number; token: number }> {
  return new Promise((resolve, reject) => {
    worker.onerror = (event) => reject(new Error(event.message));
    worker.onmessage = ({ data }: MessageEvent<{ time: number; token: number } | { error: string }>) => {
      if ('error' in data) reject(new Error(data.error));
      else resolve(data);
    };
    worker.postMessage(order);
  });
}
