/** Our decode loop over transformers.js's and over a bare ONNX Runtime loop; many choices over many requests. */
import { type BenchRow, compare } from '../bench-row.js';
import type { TextOrder } from '../text-worker.js';

const TOKENS = 128;
const ROUNDS = 7;

type Kind = TextOrder['kind'];

export async function textRows(): Promise<BenchRow[]> {
  const spawn = (): Worker => new Worker(new URL('../text-worker.ts', import.meta.url), { type: 'module' });
  const [own, peer] = [spawn(), spawn()];
  const rounds = new Map<Kind, number>();
  const answers = new Map<number, string>();
  const measure = (kind: Kind) => async (): Promise<number> => {
    const round = (rounds.get(kind) ?? 0) + 1;
    rounds.set(kind, round);
    const { rate, ids } = await ask(kind === 'generate' ? peer : own, {
      kind,
      origin: location.origin,
      round,
      tokens: TOKENS,
    });
    // A faster loop that writes something else would prove nothing.
    const answer = ids.join(' ');
    if (answer && (answers.get(round) ?? answer) !== answer)
      throw new Error(`${kind} wrote other tokens in round ${round}.`);
    if (answer) answers.set(round, answer);
    return rate;
  };
  const rows = [
    await compare(
      { name: 'tokens/s: our loop over transformers.js generate', goal: 3, unit: 'tokens/s' },
      measure('ours'),
      measure('generate'),
      ROUNDS,
    ),
  ];
  rounds.clear();
  rows.push(
    await compare(
      { name: 'tokens/s: our loop over the bare session loop', goal: 0.9, unit: 'tokens/s' },
      measure('ours'),
      measure('session'),
      ROUNDS,
    ),
    await compare(
      { name: 'tokens/s: n = 8 in one request over eight requests', goal: 2.5, unit: 'tokens/s' },
      measure('together'),
      measure('one-by-one'),
      ROUNDS,
    ),
  );
  own.terminate();
  peer.terminate();
  return rows;
}

function ask(worker: Worker, order: TextOrder): Promise<{ rate: number; ids: number[] }> {
  return new Promise((resolve, reject) => {
    worker.onerror = (event) => reject(new Error(event.message));
    worker.onmessage = ({ data }: MessageEvent<{ rate: number; ids: number[] } | { error: string }>) => {
      if ('error' in data) reject(new Error(data.error));
      else resolve(data);
    };
    worker.postMessage(order);
  });
}
