/** Which requests the tabs are told of by a model's status. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LoadedModel } from '../../../src/core/models/backend.js';
import { ModelSlot } from '../../../src/service/scheduler/model-slot.js';

const INFO = { contextLength: 512, toolFormat: 'none', reasoningFormat: 'none', images: false } as const;
const MODEL: LoadedModel = {
  info: { device: 'wasm', threads: 1, ...INFO },
  lost: new Promise(() => {}),
  unload: async () => {},
};
const changed = vi.fn<() => void>();

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  changed.mockReset();
});

async function readySlot(): Promise<ModelSlot> {
  const host = { start: async () => MODEL, fetchFiles: async () => {} };
  const slot = new ModelSlot({ id: 'e', task: 'embeddings', backend: 'transformers', source: '/e' }, host, changed);
  await slot.ready();
  await vi.advanceTimersByTimeAsync(100);
  changed.mockClear();
  return slot;
}

it('one that is over at once is not told', async () => {
  const slot = await readySlot();
  for (let request = 0; request < 10; request += 1) slot.queue.join()();
  await vi.advanceTimersByTimeAsync(100);
  expect(changed).not.toHaveBeenCalled();
});

it('a longer one is told when it has run for a while, and at its end at once', async () => {
  const slot = await readySlot();
  const leave = slot.queue.join();
  await vi.advanceTimersByTimeAsync(100);
  expect(changed).toHaveBeenCalledTimes(1);
  leave();
  expect(changed).toHaveBeenCalledTimes(2);
  expect(slot.status().state).toBe('ready');
});

it('whoever has seen the model at work learns the end', async () => {
  const slot = await readySlot();
  const leave = slot.queue.join();
  expect(slot.status().state).toBe('busy');
  leave();
  expect(changed).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(100);
  expect(changed).toHaveBeenCalledTimes(1);
});
