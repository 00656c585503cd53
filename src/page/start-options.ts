/** The options of `startInference`. Public. @module */
import type { ApiKey, CompatibilityName, RateLimits } from '../core/models/access-options.js';
import type { LoadProgress, ModelEntry } from '../core/models/model-entry.js';

/** What an app may say about the service it starts. Everything has a default. */
export interface InferenceOptions {
  /**
   * The models to serve.
   * @default the bundled tiny-chat, tiny-embed and tiny-whisper
   */
  models?: readonly ModelEntry[];
  /**
   * Accepted keys, sent as `Authorization: Bearer`; `x-api-key` counts where there is no such header. Absent: any key,
   * or none.
   */
  apiKeys?: readonly ApiKey[];
  /** How often a key may ask; more is answered with 429. */
  rateLimits?: RateLimits;
  /**
   * Answers as OpenAI's own service gives them where the specification's ways break clients written for it: cut JSON and
   * cut calls, `verbose_json`, `srt` and `vtt`, error shapes, `reasoning_effort: "none"`.
   * @default 'service'
   */
  compatibility?: CompatibilityName;
  /**
   * Seconds until a request without a first token (streamed) or result fails with 408; loading a model does not count.
   * @default 600
   */
  requestTimeout?: number;
  /**
   * Path of the service on the page's origin.
   * @default '/v1'
   */
  prefix?: string;
  /**
   * Other bases that are answered in the page, e.g. `https://api.openai.com/v1`.
   * @default []
   */
  intercept?: readonly string[];
  /**
   * URL of the Service Worker's script, relative to the page; `false`: no Service Worker, only `inference.fetch`. ONNX
   * Runtime is loaded from `inpage/` beside the script (without one: below the app's base).
   * @default 'inpage-sw.js' below the app's base, which the Vite plugin knows and which is '/' with other bundlers
   */
  serviceWorker?: string | false;
  /**
   * Adds COOP and COEP headers to the app's own pages and workers by the Service Worker, where the host sends none: WASM
   * then runs on several threads, from the second load of a page on. It is `inpage-sw-isolated.js` beside `serviceWorker`
   * that is registered, which imports that one. Breaks what an isolated page cannot have: see the docs.
   * @default false
   */
  crossOriginIsolation?: boolean;
  /**
   * Base of the hub that hub ids are of: a mirror, or a server of your own that answers as it does.
   * @default 'https://huggingface.co'
   */
  hub?: string;
  /**
   * Look files up in the browser's cross-origin storage by their hash before they are fetched, and offer them to it, where
   * the browser has one (https://github.com/WICG/cross-origin-storage).
   * @default false
   */
  crossOriginStorage?: boolean;
  /**
   * What the Service Worker does with a request when no open tab hosts the engine, and none has since the browser started
   * it: `fail` answers 503, `network` lets it go on to the network, as if inpage had never been there. A request to an
   * intercepted base of another origin goes on only when it carries no key.
   * @default 'fail'
   */
  whenUnhosted?: 'fail' | 'network';
  /** Told how far each model's loading is. */
  onProgress?: (progress: LoadProgress) => void;
}
