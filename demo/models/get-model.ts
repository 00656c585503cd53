/** One click: adds a model to the catalog and fetches it. Where that fails, it stays in the list, to be tried again. */
import { signal } from '@preact/signals';
import type { ModelEntry } from 'inpage';
import { addModel, hub, inference } from '../inference.js';
import { problemOf } from '../parts/problem-of.js';

/** Engines whose models the panels get from the hub. */
const FROM_HUB: readonly ModelEntry['backend'][] = ['gguf', 'transformers', 'web-llm'];

/** `running`, or why it failed, by id. */
export const gets = signal<Readonly<Record<string, { running: true } | { problem: string }>>>({});

/** Ends the download; what has come is kept, so that another try goes on from there. */
export async function stopGetting(id: string): Promise<void> {
  stopped.add(id);
  await inference.value?.unload(id).catch(() => {});
}

/** Ids whose download the visitor has ended: that is no problem to tell. */
const stopped = new Set<string>();

/** @returns whether the model is ready */
export async function getModel(entry: ModelEntry): Promise<boolean> {
  const put = (state: { running: true } | { problem: string }): void => {
    gets.value = { ...gets.value, [entry.id]: state };
  };
  if (!navigator.onLine && FROM_HUB.includes(entry.backend)) {
    put({
      problem: `There is no network now, and the model comes from ${new URL(hub.value).host}. Try again with one.`,
    });
    return false;
  }
  stopped.delete(entry.id);
  put({ running: true });
  try {
    await addModel(entry);
    if (stopped.has(entry.id)) throw new Error('Stopped before it began.');
    await inference.value?.load(entry.id);
    const { [entry.id]: _, ...others } = gets.value;
    gets.value = others;
    return true;
  } catch (error) {
    put({ problem: stopped.delete(entry.id) ? 'The download was stopped.' : problemOf(error) });
    return false;
  }
}
