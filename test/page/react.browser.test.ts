/** The hooks, rendered by React into a real document. */
import { act, createElement, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { ModelStatus } from '../../src/core/models/model-status.js';
import type { InferenceSnapshot, InferenceStore } from '../../src/page/reactive-inference.js';
import { InferenceProvider, useInference, useModel } from '../../src/page/react.js';
import type { PageInference } from '../../src/core/models/page-inference.js';

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

/** A store that the test changes. */
function fakeStore() {
  let snapshot: InferenceSnapshot = { state: 'idle', models: [] };
  const listeners = new Set<() => void>();
  const load = vi.fn<() => Promise<void>>(async () => {});
  const store: InferenceStore = {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getSnapshot: () => snapshot,
    start: async () => ({ load }) as unknown as PageInference,
    add: async () => ({ load }) as unknown as PageInference,
    stop: async () => {},
  };
  const set = (next: InferenceSnapshot) =>
    act(async () => {
      snapshot = next;
      for (const listener of listeners) listener();
    });
  return { store, set, load, listeners };
}

const tiny: ModelStatus = { id: 'tiny', task: 'chat', backend: 'scripted', state: 'ready', queued: 0 };

function App() {
  const { state, models } = useInference();
  const { status, load } = useModel('tiny');
  return createElement('button', { onClick: load }, `${state} ${models.length} ${status?.state ?? 'unknown'}`);
}

it('renders each change, loads on request, and leaves the store when it is unmounted', async () => {
  const { store, set, load, listeners } = fakeStore();
  const element = document.body.appendChild(document.createElement('main'));
  onTestFinished(() => element.remove());
  const root = createRoot(element);
  const app = createElement(InferenceProvider, { store }, createElement(App));
  await act(async () => root.render(createElement(StrictMode, null, app)));
  expect(element.textContent).toBe('idle 0 unknown');
  await set({ state: 'ready', models: [tiny] });
  expect(element.textContent).toBe('ready 1 ready');
  element.querySelector('button')?.click();
  await vi.waitFor(() => expect(load).toHaveBeenCalledExactlyOnceWith('tiny'));
  await act(async () => root.unmount());
  expect(listeners.size).toBe(0);
});

it('says what is missing without a provider', async () => {
  const root = createRoot(document.createElement('main'));
  await expect(act(async () => root.render(createElement(App)))).rejects.toThrow('<InferenceProvider store={…}>');
});
