/** Starts the library once and keeps what the panels show of it in signals. */
import { computed, effect, signal, untracked } from '@preact/signals';
import { problemOf } from './parts/problem-of.js';
import {
  DEFAULT_MODELS,
  InferenceError,
  type LoadProgress,
  type ModelEntry,
  type PageInference,
  startInference,
} from 'inpage';
import type { ElementStore } from 'inpage/elements';

/** The models that a visitor chose to add live here between visits. */
const ADDED_MODELS_KEY = 'inpage-demo-models';

/** Which of them was chosen last. */
const CHAT_MODEL_KEY = 'inpage-demo-chat-model';

/** Where a visitor's own hub is kept. */
const HUB_KEY = 'inpage-demo-hub';

export const inference = signal<PageInference | undefined>(undefined);
export const startError = signal<string | undefined>(undefined);
export const progress = signal<LoadProgress | undefined>(undefined);
export const models = signal<ModelEntry[]>([...DEFAULT_MODELS, ...addedModels()]);
/** The one that is asked; remembered between visits. */
export const chatModel = signal(rememberedModel());
export const chatModels = computed(() => models.value.filter((model) => model.task === 'chat'));
/** Base of the hub: the public one, or a mirror. */
export const hub = signal(localStorage.getItem(HUB_KEY) ?? 'https://huggingface.co');
/** Counts status changes, so that views of `inference.status()` know when to look again. */
export const statusVersion = signal(0);

effect(() => localStorage.setItem(CHAT_MODEL_KEY, chatModel.value));

let starting: Promise<void> = Promise.resolve();

/** Starts, or starts again after the list of models changed; one after the other, or an engine would be left behind. */
export function start(): Promise<void> {
  starting = starting.then(restart);
  return starting;
}

/**
 * Resolves when requests are answered, at once where they are.
 * @throws Error when the start has failed, or what the signal aborts with
 */
export function whenStarted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      if (inference.value) resolve();
      else if (startError.value) reject(new Error(startError.value));
      else if (signal.aborted) reject(signal.reason as Error);
      else return;
      // It may be called before the effect has been made.
      queueMicrotask(() => end());
    };
    const end = effect(settle);
    signal.addEventListener('abort', settle, { once: true });
  });
}

async function restart(): Promise<void> {
  startError.value = undefined;
  try {
    const before = inference.peek();
    // What is asked again when the models change is given up first: it would be refused.
    inference.value = undefined;
    await before?.stop();
    inference.value = await startInference({
      models: models.peek(),
      hub: hub.peek(),
      // Long prompts need not be read again after a reload.
      promptCache: '256MB',
      storeResponses: true,
      // The demo's own worker: the relay plus an offline copy of the page.
      serviceWorker: '/sw.js',
      onProgress: (report) => {
        progress.value = report;
        statusVersion.value++;
      },
    });
    inference.value.subscribe(() => statusVersion.value++);
  } catch (error) {
    startError.value = problemOf(error);
  }
}

/** The same, as `<inpage-models>` follows it. */
export const store: ElementStore = {
  subscribe: (listener) =>
    effect(() => {
      void [inference.value, startError.value, statusVersion.value];
      untracked(listener);
    }),
  getSnapshot() {
    const [service, problem] = [inference.peek(), startError.peek()];
    if (service) return { state: 'ready', inference: service };
    return problem === undefined
      ? { state: 'starting' }
      : { state: 'failed', error: new InferenceError('unavailable', problem) };
  },
  start,
  add: addModel,
};

/** Takes another hub, and remembers it; empty: the public one. */
export async function setHub(base: string): Promise<void> {
  if (base) localStorage.setItem(HUB_KEY, base);
  else localStorage.removeItem(HUB_KEY);
  hub.value = base || 'https://huggingface.co';
  await start();
}

/** Adds a model to the catalog, and remembers it. */
export async function addModel(entry: ModelEntry): Promise<void> {
  if (!models.value.some((model) => model.id === entry.id)) await changeModels([...models.value, entry]);
}

export async function removeModel(id: string): Promise<void> {
  if (chatModel.value === id) chatModel.value = 'tiny-chat';
  await changeModels(models.value.filter((model) => model.id !== id));
}

/** False for the bundled ones. */
export function isAdded(id: string): boolean {
  return !DEFAULT_MODELS.some((model) => model.id === id);
}

async function changeModels(changed: ModelEntry[]): Promise<void> {
  models.value = changed;
  localStorage.setItem(ADDED_MODELS_KEY, JSON.stringify(changed.filter(({ id }) => isAdded(id))));
  await start();
}

function rememberedModel(): string {
  const id = localStorage.getItem(CHAT_MODEL_KEY);
  return models.value.find((model) => model.id === id && model.task === 'chat')?.id ?? 'tiny-chat';
}

function addedModels(): ModelEntry[] {
  try {
    return JSON.parse(localStorage.getItem(ADDED_MODELS_KEY) ?? '[]') as ModelEntry[];
  } catch {
    return [];
  }
}
