/** The state of the service as a store, for frameworks that render what they subscribe to. @module */
import { toInferenceError, type InferenceError } from '../core/errors/inference-error.js';
import type { InferenceOptions } from '../core/models/inference-options.js';
import { DEFAULT_MODELS } from '../core/models/default-catalog.js';
import type { TypedModelEntry as ModelEntry } from '../core/models/model-entry.js';
import type { ModelStatus } from '../core/models/model-status.js';
import type { PageInference } from '../core/models/page-inference.js';
import { startInference } from './start-inference.js';

/** What a store holds. A new object after each change, and the same object until then. */
export interface InferenceSnapshot {
  /** `idle`: no one has subscribed yet, or the store was stopped. `failed`: `error` says why; `start` tries again. */
  readonly state: 'idle' | 'starting' | 'ready' | 'failed';
  /** While `ready`. */
  readonly inference?: PageInference;
  /** With `state: 'failed'`. */
  readonly error?: InferenceError;
  /** State of each model of the catalog, with `progress` while it loads. Empty before `ready`. */
  readonly models: readonly ModelStatus[];
}

/** Made by {@link createInferenceStore}. */
export interface InferenceStore {
  /** Calls the listener after every change. The first call starts inference. Returns a function that ends it. */
  readonly subscribe: (listener: () => void) => () => void;
  /** The state now. */
  readonly getSnapshot: () => InferenceSnapshot;
  /** Starts inference where it is not running. Rejects with the InferenceError that the snapshot shows. */
  readonly start: () => Promise<PageInference>;
  /**
   * Adds a model to the catalog: inference is started again with it, unless it is there already. Resolves when it runs.
   * @throws InferenceError like {@link startInference}
   * @example
   * const [best] = await recommendedModels({ task: 'chat' });
   * await store.add(best.entry);
   */
  readonly add: (entry: ModelEntry) => Promise<PageInference>;
  /** Ends inference in this tab. */
  readonly stop: () => Promise<void>;
}

const IDLE: InferenceSnapshot = { state: 'idle', models: [] };

/**
 * A store around {@link startInference} with the interface that React's `useSyncExternalStore`, Svelte, Vue and Solid can
 * subscribe to. It may be made on a server: inference starts with the first subscriber, or with `start`.
 * @param options of {@link startInference}
 * @throws never; a failed start is part of the snapshot
 * @example
 * const store = createInferenceStore();
 * store.subscribe(() => console.log(store.getSnapshot().state));
 */
export function createInferenceStore(options: InferenceOptions = {}): InferenceStore {
  let snapshot = IDLE;
  const added: ModelEntry[] = [];
  let running: Promise<PageInference> | undefined;
  const listeners = new Set<() => void>();
  const set = (next: InferenceSnapshot): void => {
    snapshot = next;
    for (const listener of listeners) listener();
  };

  async function begin(): Promise<PageInference> {
    set({ state: 'starting', models: [] });
    try {
      const models = [...(options.models ?? DEFAULT_MODELS), ...added];
      const inference = await startInference(added.length > 0 ? { ...options, models } : options);
      const show = () => set({ state: 'ready', inference, models: inference.status() });
      inference.subscribe(show);
      show();
      return inference;
    } catch (thrown) {
      running = undefined;
      const error = toInferenceError(thrown);
      set({ state: 'failed', error, models: [] });
      throw error;
    }
  }

  const start = (): Promise<PageInference> => (running ??= begin());
  const stop = async (): Promise<void> => {
    const inference = await running?.catch(() => undefined);
    running = undefined;
    await inference?.stop();
    set(IDLE);
  };
  return {
    start,
    async add(entry) {
      const known = [...(options.models ?? DEFAULT_MODELS), ...added];
      if (known.some(({ id }) => id === entry.id)) return start();
      added.push(entry);
      await stop();
      return start();
    },
    subscribe(listener) {
      listeners.add(listener);
      // The snapshot tells of a failure.
      if (snapshot === IDLE) start().catch(() => {});
      return () => void listeners.delete(listener);
    },
    getSnapshot: () => snapshot,
    stop,
  };
}
