/** The service that an element shows: a store, which may start it, or a running one. @module */
import type { InferenceError } from '../core/errors/inference-error.js';
import type { ModelEstimate } from '../core/models/model-estimate.js';
import type { ModelStatus } from '../core/models/model-status.js';
import type { TypedModelEntry as ModelEntry } from '../core/models/model-entry.js';
import type { StoredModel } from '../core/models/stored-model.js';

/**
 * What the elements ask of a service: what `startInference` resolves with has all of it, the connection of `inpage/extension`
 * most of it.
 */
export interface ElementInference {
  /** Absolute base of the service. */
  readonly baseURL: string;
  /** Answers requests below it. */
  readonly fetch: typeof fetch;
  /** The models' state. */
  status(): ModelStatus[];
  /** Tells each change of it, until the function that it returns is called. */
  subscribe(listener: () => void): () => void;
  /** Loads a model. */
  load(model: string): Promise<void>;
  /** Ends a model's engine. */
  unload?(model: string): Promise<void>;
  /** Brings a model's files to this device. */
  download?(model: string, options?: { signal?: AbortSignal }): Promise<void>;
  /** What a load would fetch. */
  estimate?(model: string): Promise<ModelEstimate>;
  /** What is on this device. */
  stored?(): Promise<StoredModel[]>;
  /** Removes a model's files. */
  remove?(model: string): Promise<void>;
}

/** What the elements ask of a store: what `createInferenceStore` makes has all of it. */
export interface ElementStore {
  /** Tells each change. The first call starts inference. */
  subscribe(listener: () => void): () => void;
  /** The state now. */
  getSnapshot(): {
    readonly state: 'idle' | 'starting' | 'ready' | 'failed';
    readonly inference?: ElementInference;
    readonly error?: InferenceError;
  };
  /** Starts inference where it is not running. */
  start(): Promise<unknown>;
  /** Adds a model to the catalog. */
  add?(entry: ModelEntry): Promise<unknown>;
}

/** What an element can show. */
export type LinkState =
  | { state: 'none' | 'starting' }
  | { state: 'failed'; error: InferenceError | undefined }
  | { state: 'ready'; inference: ElementInference };

/** Follows the store or the service of an element while that is in the document. */
export class ServiceLink {
  #store: ElementStore | undefined;
  #inference: ElementInference | undefined;
  #setLast: 'store' | 'inference' = 'store';
  readonly #changed: () => void;
  #ends: (() => void)[] = [];
  #followed: ElementInference | undefined;

  /** @param changed called after each change of what is there */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get store(): ElementStore | undefined {
    return this.#store;
  }

  set store(store: ElementStore | undefined) {
    this.#store = store;
    if (store) this.#setLast = 'store';
  }

  get inference(): ElementInference | undefined {
    return this.#inference;
  }

  set inference(inference: ElementInference | undefined) {
    this.#inference = inference;
    if (inference) this.#setLast = 'inference';
  }

  /** The store, unless a service was set after it. */
  get shownStore(): ElementStore | undefined {
    return this.#inference && this.#setLast === 'inference' ? undefined : this.#store;
  }

  get state(): LinkState {
    const { shownStore } = this;
    if (shownStore) {
      const { state, inference, error } = shownStore.getSnapshot();
      if (state === 'ready' && inference) return { state, inference };
      return state === 'failed' ? { state, error } : { state: 'starting' };
    }
    return this.#inference ? { state: 'ready', inference: this.#inference } : { state: 'none' };
  }

  /** Subscribes to what is set now. Call it again when that was replaced. */
  open(): void {
    this.close();
    if (this.shownStore) this.#ends.push(this.shownStore.subscribe(() => this.#follow()));
    this.#follow();
  }

  /** Ends the subscriptions; the service goes on. */
  close(): void {
    for (const end of this.#ends) end();
    this.#ends = [];
    this.#followed = undefined;
  }

  #follow(): void {
    const { state } = this;
    // A store tells each change of its service itself.
    if (!this.shownStore && state.state === 'ready' && state.inference !== this.#followed) {
      this.#followed = state.inference;
      this.#ends.push(state.inference.subscribe(this.#changed));
    }
    this.#changed();
  }
}

/** Why something failed, as the library's own errors or any other say it. */
export function failureOf(thrown: unknown): { code?: string; message: string; details: InferenceError['details'] } {
  const { code, message = String(thrown), details = {} } = (thrown ?? {}) as Partial<InferenceError>;
  return { ...(code !== undefined && { code }), message, details };
}
