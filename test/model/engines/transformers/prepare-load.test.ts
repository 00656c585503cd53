import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import { prepareLoad } from '../../../../src/model/engines/transformers/prepare-load.js';

const kept = vi.hoisted(() => ({ folders: new Set<string>(), asked: [] as string[] }));
vi.mock('../../../../src/store/open-model-files.js', () => ({
  openModelFiles: async (_entry: unknown, folder: string) => {
    kept.asked.push(folder);
    if (folder.includes('broken')) throw new Error('The disk is broken.');
    return { isKept: async (file: string) => file === 'config.json' && kept.folders.has(folder) };
  },
}));

afterEach(() => {
  kept.folders.clear();
  kept.asked = [];
});

const entry = (id: string, task: ModelEntry['task'] = 'chat'): ModelEntry => ({
  id,
  task,
  backend: 'transformers',
  source: `/models/${id}`,
  device: 'wasm',
});
// No runtime is there: that is no failure.
const options = { assetsURL: 'data:text/javascript,none/', pageURL: 'http://localhost/' };

describe('what a load begins with, ahead of it', () => {
  it('is for the first model that is on the device', async () => {
    kept.folders.add('http://localhost/models/b/').add('http://localhost/models/c/');
    const importCode = vi.fn<(task: string) => Promise<void>>(async () => {});
    const found = await prepareLoad([entry('a'), entry('b', 'embeddings'), entry('c')], options, importCode);
    expect(found?.id).toBe('b');
    expect(importCode.mock.calls).toEqual([['embeddings']]);
  });

  it('does nothing when no model was ever fetched, or the disk does not say', async () => {
    const importCode = vi.fn<(task: string) => Promise<void>>(async () => {});
    expect(await prepareLoad([entry('a'), entry('broken')], options, importCode)).toBeUndefined();
    expect(kept.asked.length).toBe(2);
    expect(importCode).not.toHaveBeenCalled();
  });

  it('does not reject when code cannot be had: the load will say so', async () => {
    kept.folders.add('http://localhost/models/a/');
    const found = await prepareLoad([entry('a')], options, () => Promise.reject(new Error('offline')));
    expect(found?.id).toBe('a');
  });
});
