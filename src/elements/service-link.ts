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
  readonly baseURL: string;
  readonly fetch: typeof fetch;
  status(): ModelStatus[];
  subscribe(listener: () => void): () => void;
  load(model: string): Promise<void>;
  unload?(model: string): Promise<void>;
  download?(model: string, options?: { signal?: AbortSignal }): Promise<void>;
  estimate?(model: string): Promise<ModelEstimate>;
  stored?(): Promise<StoredModel[]>;
  remove?(model: string): Promise<void>;
}

/** What the elements ask of a store: what `createInferenceStore` makes has all of it. */
export interface ElementStore {
  subscribe(listener: () => void): () => void;
  getSnapshot(): {
    readonly state: 'idle' | 'starting' | 'ready' | 'failed';
    readonly inference?: ElementInference;
    readonly error?: InferenceError;
  };
  start(): Promise<unknown>;
  add?(entry: ModelEntry): Promise<unknown>;
}

/** What an element can show. */
export type LinkState =
  | { state: 'none' | 'starting' }
  | { state: 'failed'; error: InferenceError | undefined }
  | { state: 'ready'; inference: ElementInference };

/** Follows the store or the service of an element while that is in the document. */
export class ServiceLink {
  store: ElementStore | undefined;
  inference: ElementInference | undefined;
  readonly #changed: () => void;
  #ends: (() => void)[] = [];
  #followed: ElementInference | undefined;

  /** @param changed called after each change of what is there */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get state(): LinkState {
    if (this.store) {
      const { state, inference, error } = this.store.getSnapshot();
      if (state === 'ready' && inference) return { state, inference };
      return state === 'failed' ? { state, error } : { state: 'starting' };
    }
    return this.inference ? { state: 'ready', inference: this.inference } : { state: 'none' };
  }

  /** Subscribes to what is set now. Call it again when that was replaced. */
  open(): void {
    this.close();
    if (this.store) this.#ends.push(this.store.subscribe(() => this.#follow()));
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
    if (!this.store && state.state === 'ready' && state.inference !== this.#followed) {
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
