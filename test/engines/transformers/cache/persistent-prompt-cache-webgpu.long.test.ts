/** Kept prompts on a GPU: what comes from the disk is what the GPU would compute, to the last bit. */
import { expect, it } from 'vitest';
import type { KeptAnswer, KeptOrder } from '../support/prompt-cache-worker.js';

/** Each time a new worker, as after a reload. */
async function visit(order: KeptOrder): Promise<KeptAnswer[]> {
  const worker = new Worker(new URL('../support/prompt-cache-worker.ts', import.meta.url), { type: 'module' });
  try {
    const { answers, error } = await new Promise<{ answers?: KeptAnswer[]; error?: string }>((resolve) => {
      worker.onmessage = ({ data }: MessageEvent<{ answers?: KeptAnswer[]; error?: string }>) => resolve(data);
      worker.onerror = ({ message }) => resolve({ error: message });
      worker.postMessage(order);
    });
    if (!answers) throw new Error(error);
    return answers;
  } finally {
    worker.terminate();
  }
}

const tokensOf = (seed: number, length: number): number[] =>
  Array.from({ length }, (_, at) => 3 + ((seed * 37 + at * at * 11 + at * (seed % 7) + 5) % 250));

/** Tokens that a pass reads where prompts are kept, and fewest of the last one. */
const PASS = 64;
const COUNT = 50;
/** Tokens that those which begin alike share, in whole passes. */
const SHARED = 64;

/** What is kept, and what is asked later: half of them are equal, the others begin alike and go on otherwise. */
const PROMPTS = Array.from({ length: COUNT }, (_, index) => {
  const kept = tokensOf(index, 140 + ((index * 41) % 90) + (index % 10 === 0 ? 430 : 0));
  const asked =
    index % 2 === 0 ? kept : [...kept.slice(0, SHARED + 7), ...tokensOf(index + COUNT, 60 + ((index * 53) % 70))];
  return { kept, asked };
});

const SAMPLINGS = [() => ({}), (seed: number) => ({ temperature: 0.9, topP: 0.95, seed })];

it.each(['fp32', 'q4'] as const)(
  '[P03] 50 kept prompts are answered on WebGPU in %s to the last bit as without keeping, greedy and with a seed',
  async (dtype) => {
    const promptCache = 2 ** 30;
    const warm = PROMPTS.map(({ kept }) => ({
      ids: kept,
      sampling: {},
      cachePrompt: 'required' as const,
      maxTokens: 1,
    }));
    await visit({ dtype, promptCache, requests: warm });
    const answers = new Set<string>();
    for (const sampling of SAMPLINGS) {
      const requests = PROMPTS.map(({ asked }, index) => ({ ids: asked, sampling: sampling(index), maxTokens: 2 }));
      const alone = await visit({ dtype, requests });
      const kept = await visit({ dtype, requests, promptCache });
      expect(alone.every(({ device, cached }) => device === 'webgpu' && cached === 0)).toBe(true);
      expect(kept.map(({ cached }) => cached)).toEqual(
        PROMPTS.map(({ kept, asked }, index) => {
          const whole = (length: number): number => (Math.floor(length / PASS) - 1) * PASS;
          return Math.min(whole(kept.length), whole(asked.length), index % 2 === 0 ? Infinity : SHARED);
        }),
      );
      expect(kept.map((each) => ({ ...each, cached: 0 }))).toEqual(alone);
      for (const { tokens } of alone) answers.add(tokens.join(' '));
    }
    // They depend on the prompt.
    expect(answers.size).toBeGreaterThan(COUNT);
  },
  600_000,
);
