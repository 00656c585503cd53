/** What `startInference` gives an app. @module */
import type { FaultSettings } from './fault-settings.js';
import type { ScriptedEntry } from './model-entry.js';
import type { ModelEstimate } from './model-estimate.js';
import type { ModelStatus } from './model-status.js';
import type { StoredFiles, StoredModel, StoredResponses } from './stored-model.js';

/**
 * A picked folder (`showDirectoryPicker()`), picked files (`input.files`), or what was dropped: its files
 * (`event.dataTransfer.files`), or for folders its entries, which are there while the event is handled:
 * `[...event.dataTransfer.items].map((item) => item.webkitGetAsEntry())`.
 */
export type PickedFiles = FileSystemDirectoryHandle | ArrayLike<File | FileSystemEntry | null>;

/** A running service. */
export interface PageInference {
  /** Absolute base URL of the service, e.g. `https://app.example/v1`. Pass it to an SDK as `baseURL`. */
  readonly baseURL: string;
  /**
   * A `fetch` function to pass to an SDK. It returns the same responses. In the host tab, its requests do not use the
   * Service Worker.
   */
  readonly fetch: typeof fetch;
  /** Loads a model before its first request. Rejects with an InferenceError. */
  load(model: string): Promise<void>;
  /** Ends the model's engine and frees its memory; a request that it works on fails with 503. */
  unload(model: string): Promise<void>;
  /**
   * Brings a model's files into the store of this device without loading it. Told to `onProgress`; goes on where an
   * earlier attempt stopped.
   * @throws InferenceError `insufficient_resources` (no room: `details` has needed and free bytes, and what could be
   * removed), `unavailable`, or `cancelled` when the signal aborts
   */
  download(model: string, options?: { signal?: AbortSignal }): Promise<void>;
  /**
   * Like `download`, but from files or a folder that the user picks or drops, for example from a USB stick. The same checks apply.
   * @throws InferenceError like {@link download}, and `invalid_request` if `files` contains anything else
   */
  importModel(model: string, files: PickedFiles, options?: { signal?: AbortSignal }): Promise<void>;
  /**
   * Reads a prompt ahead of time and keeps it on the disk: requests that begin like it then read only the rest, also after a
   * reload. Resolves when it is kept.
   * @param prompt messages as Chat Completions take them, without images, or a text as text completions take it
   * @throws InferenceError `invalid_request` without the option `promptCache`, `model_not_supported`, or
   * `insufficient_resources` when it cannot be kept: fewer than 64 tokens, or no room
   */
  cachePrompt(model: string, prompt: string | readonly object[]): Promise<void>;
  /**
   * What loading a model would fetch, and whether it runs on this device. Nothing but lists of files is fetched for it.
   * @throws InferenceError `model_not_found`, or `unavailable` when its source cannot be reached
   * @example
   * const { missingBytes, verdict, reasons } = await inference.estimate('Qwen3-0.6B');
   */
  estimate(model: string): Promise<ModelEstimate>;
  /** Lists all models with files on this device, including models that are not in the current `models`. */
  stored(): Promise<StoredModel[]>;
  /**
   * Unloads a model and removes its files from this device.
   * @param model its id, or the `source` that {@link stored} tells
   * @throws InferenceError `model_not_found`, or `unavailable` while it is being fetched
   */
  remove(model: string): Promise<void>;
  /** The models' state as the engine told it last. */
  status(): ModelStatus[];
  /** Calls the listener whenever {@link status} has changed. Returns a function that ends it. */
  subscribe(listener: () => void): () => void;
  /**
   * Simulates failures, delays and broken streams, to test an app. Off until set; they end with the
   * engine.
   * @example
   * await inference.faults.set({ fail: { status: 429, count: 2, retryAfter: 1 } });
   */
  readonly faults: {
    /** Replaces all switches. */
    set(settings: FaultSettings): Promise<void>;
    /** Turns everything off. */
    clear(): Promise<void>;
  };
  /**
   * With the option `record`: a scripted entry for each model that has answered, which answers the same requests with the
   * same text and timing. API keys are replaced by `[secret]`.
   * @throws InferenceError `invalid_request` without the option
   */
  recorded(): Promise<ScriptedEntry[]>;
  /** How much is stored of what `/responses` answered; see the option `storeResponses`. */
  storedResponses(): Promise<StoredResponses>;
  /** Removes all of it, of every caller. */
  removeResponses(): Promise<void>;
  /** How much is stored of files and vector stores, of every caller; see the option `files`. */
  storedFiles(): Promise<StoredFiles>;
  /** Removes all files and vector stores, of every caller. */
  removeFiles(): Promise<void>;
  /**
   * Stops Inpage in this tab: this object's `fetch` returns 503, and its other methods reject. If this tab hosts the engine, the
   * engine stops and another open tab takes over.
   */
  stop(): Promise<void>;
}
