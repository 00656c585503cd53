/**
 * The small files of a model (configs, tokenizer), read through the caches that WebLLM itself fills: each file is
 * downloaded once, whoever asks first, and a model that was loaded before loads without a network.
 *
 * Model files live in the Cache API. Of WebLLM's backends (Cache API, IndexedDB, OPFS, a browser extension) it is the
 * default and the one its authors call best tested; shards stream into it, and deleting through WebLLM works.
 * @module
 */
import { InferenceError } from '../../errors/inference-error.js';
import type { WebLlmEnvironment } from './web-llm-environment.js';

/** WebLLM's names: `webllm/config` holds `mlc-chat-config.json`, `webllm/model` all else but the library. */
export type FileScope = 'webllm/config' | 'webllm/model';

/** Reads files of one model folder. */
export class ModelFiles {
  readonly #folderURL: string;
  readonly #environment: WebLlmEnvironment;
  readonly #signal: AbortSignal;

  constructor(folderURL: string, environment: WebLlmEnvironment, signal: AbortSignal) {
    this.#folderURL = folderURL;
    this.#environment = environment;
    this.#signal = signal;
  }

  /**
   * A JSON file.
   * @returns undefined when the server says that it does not exist
   * @throws InferenceError `unavailable` for every other failure
   */
  async readJson(file: string, scope: FileScope): Promise<unknown> {
    const response = await this.#read(new URL(file, this.#folderURL).href, scope);
    if (!response) return undefined;
    try {
      return (await response.json()) as unknown;
    } catch (error) {
      throw new InferenceError('unavailable', `The model's file \`${file}\` is not JSON.`, {}, { cause: error });
    }
  }

  /** The file of weights is in WebLLM's cache. */
  async isCached(file: string): Promise<boolean> {
    const cache = await this.#open('webllm/model');
    return (await cache?.match(new URL(file, this.#folderURL).href)) !== undefined;
  }

  async #read(url: string, scope: FileScope): Promise<Response | undefined> {
    const cache = await this.#open(scope);
    const cached = await cache?.match(url);
    if (cached) return cached;
    const response = await this.#fetch(url);
    if (response?.ok) await cache?.put(url, response.clone()).catch(() => undefined);
    return response;
  }

  async #fetch(url: string): Promise<Response | undefined> {
    const file = url.slice(url.lastIndexOf('/') + 1);
    let response: Response;
    try {
      response = await this.#environment.fetch(url, { signal: this.#signal });
    } catch (error) {
      if (this.#signal.aborted) throw new InferenceError('cancelled', 'Loading was cancelled.', {}, { cause: error });
      throw new InferenceError(
        'unavailable',
        `The model's file \`${file}\` could not be fetched.`,
        {},
        { cause: error },
      );
    }
    if (response.status === 404) return undefined;
    if (!response.ok) {
      throw new InferenceError(
        'unavailable',
        `The model's file \`${file}\` could not be fetched (${response.status}).`,
      );
    }
    return response;
  }

  /** Private windows and insecure pages have no cache, or one that refuses. */
  async #open(scope: FileScope): Promise<Cache | undefined> {
    return this.#environment.caches?.open(scope).catch(() => undefined);
  }
}
