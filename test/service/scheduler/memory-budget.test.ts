import { describe, expect, it } from 'vitest';
import type { LoadedModel } from '../../../src/core/models/backend.js';
import { Catalog } from '../../../src/core/models/catalog.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { Scheduler } from '../../../src/service/scheduler/scheduler.js';
import type { ModelHost } from '../../../src/service/scheduler/model-host.js';

const OPTIONS = { signal: new AbortController().signal, deadline: 'result' } as const;
const entry = (id: string): ModelEntry => ({ id, task: 'embeddings', backend: 'scripted' });

/** Three models of 60 bytes where 100 fit; what is asked of `slow` waits until it is let go. */
function scheduler() {
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => (letGo = resolve));
  const host: ModelHost = {
    async start({ id }, { onProgress }) {
      onProgress({ model: id, file: 'weights', loadedBytes: 60, totalBytes: 60, stage: 'download' });
      const model: LoadedModel = {
        info: { device: 'none' } as LoadedModel['info'],
        lost: new Promise(() => {}),
        unload: async () => {},
        async embed() {
          if (id === 'slow') await held;
          return { vectors: [], promptTokens: 0 };
        },
      };
      return model;
    },
  };
  const catalog = new Catalog(['slow', 'second', 'third'].map(entry));
  const inference = new Scheduler({ catalog, host, requestTimeout: 20, memoryBudget: 100 });
  const states = () => inference.status().map(({ id, state }) => `${id} ${state}`);
  const embed = (model: string) => inference.embed({ model, inputs: ['a'] }, OPTIONS);
  return { states, embed, letGo };
}

describe('loaded models that need more than the budget', () => {
  it('are unloaded, the least recently used first', async () => {
    const { states, embed, letGo } = scheduler();
    letGo();
    await embed('slow');
    await embed('second');
    await expect.poll(states).toEqual(['slow absent', 'second ready', 'third absent']);
    await embed('third');
    await expect.poll(states).toEqual(['slow absent', 'second absent', 'third ready']);
  });

  it('stay while they work, also on what does not queue', async () => {
    const { states, embed, letGo } = scheduler();
    const embedded = embed('slow');
    await expect.poll(states).toContain('slow busy');
    await embed('second');
    await expect.poll(states).toEqual(['slow busy', 'second ready', 'third absent']);
    letGo();
    expect(await embedded).toMatchObject({ model: 'slow' });
    await embed('third');
    await expect.poll(states).toEqual(['slow absent', 'second absent', 'third ready']);
  });
});
