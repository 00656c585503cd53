/** Structured output over free text: what the grammar forces is not sampled. */
import { askWorker } from '../ask-worker.js';
import { type BenchRow, compare } from '../bench-row.js';
import type { ConstraintOrder } from '../constraint-worker.js';

export async function constraintRows(): Promise<BenchRow[]> {
  const worker = new Worker(new URL('../constraint-worker.ts', import.meta.url), { type: 'module' });
  let round = 0;
  const measure = (kind: ConstraintOrder['kind']) => async (): Promise<number> => {
    round += 1;
    const order: ConstraintOrder = { kind, origin: location.origin, round };
    const { rate, text } = await askWorker<{ rate: number; text: string }>(worker, order);
    // Fast nonsense would prove nothing.
    if (kind === 'schema') JSON.parse(text);
    return rate;
  };
  const row = await compare(
    { name: 'constraints: JSON after a schema over free text', goal: 1.2, unit: 'tokens/s' },
    measure('schema'),
    measure('free'),
  );
  worker.terminate();
  return [row];
}
