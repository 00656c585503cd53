/** The store around `startInference`, which is a fake here. */
import { beforeEach, expect, it, vi } from 'vitest';
import { InferenceError } from '../../src/core/errors/inference-error.js';
import type { ModelStatus } from '../../src/core/models/model-status.js';
import { createInferenceStore } from '../../src/page/reactive-inference.js';
import type { PageInference } from '../../src/core/models/page-inference.js';
import { startInference } from '../../src/page/start-inference.js';

vi.mock('../../src/page/start-inference.js', () => ({ startInference: vi.fn<() => void>() }));

/** Stands in for a running service whose state the test changes. */
class FakeInference {
  models: ModelStatus[] = [];
  listener = () => {};
  readonly stop = vi.fn<() => Promise<void>>(async () => {});
  readonly status = () => this.models;
  readonly subscribe = (listener: () => void) => {
    this.listener = listener;
    return () => {};
  };
}

const model = (state: ModelStatus['state']): ModelStatus => ({
  id: 'tiny',
  task: 'chat',
  backend: 'scripted',
  state,
  queued: 0,
});

let fake: FakeInference;
beforeEach(() => {
  fake = new FakeInference();
  vi.mocked(startInference).mockReset();
  vi.mocked(startInference).mockImplementation(async () => fake as unknown as PageInference);
});

it('starts with the first subscriber, once, and shows every change as a new snapshot', async () => {
  const options = { prefix: '/api' };
  const store = createInferenceStore(options);
  expect(store.getSnapshot()).toEqual({ state: 'idle', models: [] });
  expect(startInference).not.toHaveBeenCalled();
  const seen: string[] = [];
  store.subscribe(() => seen.push(store.getSnapshot().state));
  store.subscribe(() => {});
  await store.start();
  expect(startInference).toHaveBeenCalledExactlyOnceWith(options);
  expect(seen).toEqual(['starting', 'ready']);
  const before = store.getSnapshot();
  expect(store.getSnapshot()).toBe(before);
  fake.models = [model('loading')];
  fake.listener();
  expect(store.getSnapshot()).toMatchObject({ state: 'ready', inference: fake, models: [{ state: 'loading' }] });
  expect(store.getSnapshot()).not.toBe(before);
});

it('tells nothing to a listener that has left', async () => {
  const store = createInferenceStore();
  const listener = vi.fn<() => void>();
  store.subscribe(listener)();
  await store.start();
  expect(store.getSnapshot().state).toBe('ready');
  // It was there when the start began.
  expect(listener).toHaveBeenCalledTimes(1);
});

it('shows why it failed, and tries again on request', async () => {
  vi.mocked(startInference).mockRejectedValueOnce(new InferenceError('unavailable', 'No worker.'));
  const store = createInferenceStore();
  await expect(store.start()).rejects.toThrow('No worker.');
  expect(store.getSnapshot()).toMatchObject({ state: 'failed', error: { code: 'unavailable' }, models: [] });
  await store.start();
  expect(store.getSnapshot()).toMatchObject({ state: 'ready' });
  expect(store.getSnapshot().error).toBeUndefined();
});

it('stops, also while it starts, and can be started again', async () => {
  const store = createInferenceStore();
  store.subscribe(() => {});
  await store.stop();
  expect(fake.stop).toHaveBeenCalledTimes(1);
  expect(store.getSnapshot()).toEqual({ state: 'idle', models: [] });
  await store.start();
  expect(startInference).toHaveBeenCalledTimes(2);
});
