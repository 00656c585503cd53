/** Kept prompts on a GPU: what comes from the disk is what the GPU would compute, to the last bit. */
import { expect, it } from 'vitest';
import type { KeptAnswer, KeptOrder } from './support/kept-worker.js';

/** Each time a new worker, as after a reload. */
async function visit(order: KeptOrder): Promise<KeptAnswer[]> {
  const worker = new Worker(new URL('./support/kept-worker.ts', import.meta.url), { type: 'module' });
  try {
    const { answers, error } = await new Promise<{ answers?: KeptAnswer[]; error?: string }>((resolve) => {
      worker.onmessage = ({ data }: MessageEvent<{ answers?: KeptAnswer[]; error?: string }>) => resolve(data);
      worker.postMessage(order);
    });
    if (!answers) throw new Error(error);
    return answers;
  } finally {
    worker.terminate();
  }
}

const WORDS = 'what is the capital of a river and why does it rain one two three tell me more'.split(' ');
const textOf = (seed: number, words: number): string =>
  Array.from({ length: words }, (_, word) => WORDS[(seed * 5 + word * word) % WORDS.length]).join(' ');

const PROMPTS = [0, 1, 2, 3].map((seed) => ({ type: 'raw' as const, text: textOf(seed, 200 + seed * 45) }));

it('[P03] on WebGPU kept prompts are answered to the last bit as without keeping, greedy and with a seed', async () => {
  const persistPrefixes = 2 ** 30;
  await visit({
    persistPrefixes,
    requests: PROMPTS.map((prompt) => ({ prompt, sampling: {}, keepPrompt: 'warm', maxTokens: 1 })),
  });
  for (const [seed, prompt] of PROMPTS.entries()) {
    const sampling = seed % 2 === 0 ? {} : { temperature: 0.9, topP: 0.95, seed };
    const requests = [{ prompt, sampling, maxTokens: 6 }];
    const [alone] = await visit({ requests });
    const [kept] = await visit({ requests, persistPrefixes });
    expect(alone).toMatchObject({ device: 'webgpu', cached: 0 });
    expect(kept!.cached).toBeGreaterThanOrEqual(128);
    expect({ ...kept, cached: 0 }).toEqual(alone);
  }
}, 600_000);
