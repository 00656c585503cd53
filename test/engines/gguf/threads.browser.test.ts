import { describe, expect, it, onTestFinished } from 'vitest';
import type { ThreadsAnswer, ThreadsAsk } from './support/threads-worker.js';

function ask(wish: ThreadsAsk): Promise<ThreadsAnswer> {
  const worker = new Worker(new URL('./support/threads-worker.ts', import.meta.url), { type: 'module' });
  onTestFinished(() => worker.terminate());
  return new Promise((resolve, reject) => {
    worker.addEventListener('message', ({ data }: MessageEvent<ThreadsAnswer>) => resolve(data), { once: true });
    worker.addEventListener('error', ({ message }) => reject(new Error(message)), { once: true });
    worker.postMessage(wish);
  });
}

describe.each(['relaxed', 'plain'] as const)('build %s', (build) => {
  it.each([{ exact: false }, { exact: true, precision: 32 as const }])(
    '[W18] several threads give the bits of one ($exact)',
    async (traits) => {
      const one = await ask({ build, traits, threads: 1 });
      expect(one.threads).toBe(1);
      for (const threads of [2, 3]) {
        const several = await ask({ build, traits, threads });
        expect(several.threads).toBe(threads);
        expect(several.logits).toEqual(one.logits);
      }
    },
  );
});
