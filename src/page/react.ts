/**
 * `inpage/react`: hooks that render the state of the service. Needs React 18 or newer.
 * @module
 * @example
 * const store = createInferenceStore({ models });
 * root.render(<InferenceProvider store={store}><App /></InferenceProvider>);
 */
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useSyncExternalStore,
} from 'react';
import type { ModelStatus } from '../core/models/model-status.js';
import type { InferenceSnapshot, InferenceStore } from './reactive-inference.js';

const StoreContext = createContext<InferenceStore | undefined>(undefined);

/**
 * Gives the hooks below it their store, which `createInferenceStore` of `inpage` makes once, outside of components. Never throws.
 * @example
 * const store = createInferenceStore();
 * root.render(<InferenceProvider store={store}><App /></InferenceProvider>);
 */
export function InferenceProvider({ store, children }: { store: InferenceStore; children?: ReactNode }): ReactElement {
  return createElement(StoreContext.Provider, { value: store }, children);
}

/**
 * The state of the service: `state`, `inference`, `error` and `models`. The first component that is mounted with it starts
 * the service; on a server it is `idle`.
 * @throws Error without an {@link InferenceProvider} above
 */
export function useInference(): InferenceSnapshot {
  const { subscribe, getSnapshot } = useStore();
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
}

/** What {@link useModel} returns. */
export interface UsedModel {
  /** Absent until the service is ready, and for an unknown id. */
  readonly status?: ModelStatus;
  /** Loads the model before its first request. Starts the service if need be. Rejects with an InferenceError. */
  load(): Promise<void>;
  /** Ends the model's engine and frees its memory. */
  unload(): Promise<void>;
}

/**
 * One model of the catalog.
 * @param id of its entry
 * @throws Error without an {@link InferenceProvider} above
 */
export function useModel(id: string): UsedModel {
  const { start } = useStore();
  const status = useInference().models.find((model) => model.id === id);
  return {
    ...(status && { status }),
    load: async () => (await start()).load(id),
    unload: async () => (await start()).unload(id),
  };
}

function useStore(): InferenceStore {
  const store = useContext(StoreContext);
  if (!store) throw new Error('inpage: hooks such as useInference must be used inside <InferenceProvider store={…}>.');
  return store;
}
