/** Grouped attention without ONNX Runtime's "flash" form, which is slow in WASM, writes what it wrote with it. */
import { expect, it } from 'vitest';
import type { GreedyAnswer, GreedyOrder } from './support/greedy-worker.js';

const TEXTS = [
  'What is the capital of France?',
  'What is 17 + 25?',
  `${'The quick brown fox jumps over the lazy dog. '.repeat(40)}Who jumps?`,
];

async function answersOf(folder: string): Promise<GreedyAnswer[]> {
  const worker = new Worker(new URL('./support/greedy-worker.ts', import.meta.url), { type: 'module' });
  try {
    const order: GreedyOrder = { assetsURL: new URL(folder, location.href).href, texts: TEXTS };
    return await new Promise((resolve, reject) => {
      worker.onerror = (event) => reject(new Error(event.message));
      worker.onmessage = ({ data }: MessageEvent<{ answers?: GreedyAnswer[]; error?: string }>) =>
        data.answers ? resolve(data.answers) : reject(new Error(data.error));
      worker.postMessage(order);
    });
  } finally {
    worker.terminate();
  }
}

const ids = (answers: readonly GreedyAnswer[]): number[][] => answers.map((answer) => answer.ids);
const logprobs = (answers: readonly GreedyAnswer[]): number[] => answers.flatMap((answer) => answer.logprobs);

it('writes the same greedy answers, with and without resident sessions', async () => {
  const flash = await answersOf('/node_modules/onnxruntime-web/dist/');
  const [resident, plain] = [await answersOf('/inpage/'), await answersOf('/inpage-plain/')];
  expect(ids(resident)).toEqual(ids(plain));
  for (const [place, logprob] of logprobs(resident).entries()) expect(logprob).toBeCloseTo(logprobs(plain)[place]!, 5);
  for (const answers of [resident, plain]) {
    expect(ids(answers)).toEqual(ids(flash));
    for (const [place, logprob] of logprobs(answers).entries()) expect(logprob).toBeCloseTo(logprobs(flash)[place]!, 3);
    // Other kernels round otherwise: equal to the last bit would mean that the variable was not heard.
    expect(logprobs(answers)).not.toEqual(logprobs(flash));
  }
});
