/** What `inference.status()` tells about each model. Public. @module */
import type { SerializedInferenceError } from '../errors/inference-error.js';
import type { SamplingDefaults } from '../request/generation-request.js';
import type { LoadProgress, ModelEntry } from './model-entry.js';

/** Plain data, one per model of the catalog. */
export interface ModelStatus {
  /** Id of the entry. */
  id: string;
  /** What it does. */
  task: ModelEntry['task'];
  /** Which engine runs it. */
  backend: ModelEntry['backend'];
  /** `failed`: the last load or run broke the engine; the next request loads it again, unless its fallback serves. */
  state: 'absent' | 'loading' | 'ready' | 'busy' | 'failed';
  /** Why the last load failed; with `state: 'failed'`. */
  error?: SerializedInferenceError;
  /** Requests that wait for their turn. */
  queued: number;
  /** While it is loaded or downloaded: the last report. */
  progress?: LoadProgress;
  /** Once loaded. */
  device?: 'webgpu' | 'wasm' | 'none';
  /** Why a GGUF model with `device: 'auto'` does not run on WebGPU, in a sentence. */
  deviceReason?: string;
  /** WASM threads; 1 without cross-origin isolation. */
  threads?: number;
  /** Precision of the loaded weights, e.g. `q8`. */
  dtype?: string;
  /** Of GGUF models that write: bytes of memory that keys and values of each token of a conversation take; see `kvCache`. */
  kvTokenBytes?: number;
  /** What makes the model slower here than it need be or its answers worse, and what to change. */
  warning?: string;
  /** Tokens of the context window. */
  contextLength?: number;
  /** It takes images. Once loaded. */
  images?: boolean;
  /** What the model's own files say about sampling, which requests get in `compatibility: 'hosted'`. Once loaded. */
  sampling?: SamplingDefaults;
  /**
   * Whether the browser has agreed not to evict stored files when space runs low. Inpage asks once, when a large file is
   * downloaded. Undefined until the browser answers.
   */
  persistent?: boolean | undefined;
  /**
   * How this page's requests reach the model. `service-worker`: plain `fetch` and `inference.fetch` work. `fetch`: only
   * `inference.fetch` works, because there is no Service Worker, or because another one controls the page.
   */
  door?: 'service-worker' | 'fetch';
}
