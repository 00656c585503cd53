/** The options of `startInference`: their types, which are public, and the schema with their defaults and checks. @module */
import * as v from 'valibot';
import { STORED_FILES_BYTES, STORED_RESPONSES_BYTES } from './stored-model.js';
import { APP_BASE } from './app-base.js';
import { withBundledFiles } from './bundled-files.js';
import { DEFAULT_MODELS } from './default-catalog.js';
import { ROUTES, type RouteHandler } from './route-options.js';
import type { LoadProgress, TypedModelEntry as ModelEntry } from './model-entry.js';
import { MODEL_ENTRY } from './model-entry-schema.js';
import { ENDPOINT_PATH } from './source-problem.js';
import { count, fields, list, number, oneOf, optional, type Same, text } from './option-schema.js';

/** A key that requests may carry; a revoked one is refused with a message of its own. */
export type ApiKey = string | { key: string; revoked?: boolean };

/** Requests per key. Absent numbers keep their default. */
export interface RateLimits {
  /**
   * Requests that a key may send in a minute.
   * @default 600; 1000000 with `compatibility: 'hosted'`
   * @example
   * startInference({ rateLimits: { requestsPerMinute: 3 } });
   */
  requestsPerMinute?: number;
  /**
   * Requests that a key may send in a day.
   * @default 100000; 1000000 with `compatibility: 'hosted'`
   * @example
   * startInference({ rateLimits: { requestsPerDay: 200 } });
   */
  requestsPerDay?: number;
}

/** How files that clients upload are kept and searched. */
export interface FileOptions {
  /**
   * Most bytes of everything together: a number, or a text with `kB`, `MB` or `GB`. In memory 256 MB at most.
   * @default '1GB'
   * @example
   * startInference({ files: { maxBytes: '200MB' } });
   */
  maxBytes?: number | string;
  /**
   * Id of the model that indexes files. Default: the first of task `embeddings`; without one keywords alone are searched.
   * @example
   * startInference({ models, files: { embeddingModel: 'multilingual-e5-small' } });
   */
  embeddingModel?: string;
  /**
   * Id of a model of task `rerank` that judges what was found. Default: none.
   * @example
   * startInference({ models, files: { rerankModel: 'ms-marco-MiniLM-L-6-v2' } });
   */
  rerankModel?: string;
}

/** @internal In whose manner the service answers. */
export type CompatibilityName = 'service' | 'hosted';

/** What an app may say about the service it starts. Everything has a default. */
export interface InferenceOptions {
  /**
   * The models to serve.
   * @default the bundled tiny-chat, tiny-embed and tiny-whisper
   * @example
   * startInference({ models: [{ id: 'qwen', task: 'chat', backend: 'gguf', source: '/models/qwen.gguf' }] });
   */
  models?: readonly ModelEntry[];
  /**
   * Accepted keys, sent as `Authorization: Bearer`; `x-api-key` counts if there is no such header. A key has printable ASCII
   * characters and no blanks. Default: any key, or none.
   * @example
   * startInference({ apiKeys: ['key-of-a-test', { key: 'an-old-key', revoked: true }] });
   */
  apiKeys?: readonly ApiKey[];
  /**
   * How often a key may ask; more is answered with 429.
   * @example
   * startInference({ rateLimits: { requestsPerMinute: 3 } });
   */
  rateLimits?: RateLimits;
  /**
   * `hosted` behaves like hosted services in the places where the specification would break existing clients: truncated
   * JSON and tool calls, `verbose_json`, `srt` and `vtt`, error shapes, `reasoning_effort: "none"`, and what coding agents send.
   * Default: `service` on the page's own base URL, `hosted` on intercepted base URLs of other origins.
   * @example
   * startInference({ compatibility: 'hosted' });
   */
  compatibility?: 'service' | 'hosted';
  /**
   * Seconds until a request without a first token (streamed) or result fails with 408; loading a model does not count.
   * @default 600
   * @example
   * startInference({ requestTimeout: 60 });
   */
  requestTimeout?: number;
  /**
   * Keep the answers of chat and speech models with their timing in memory: `inference.recorded()` returns them as scripted
   * models for tests. Default: nothing is kept.
   * @example
   * const inference = await startInference({ record: true });
   * const models = await inference.recorded();
   */
  record?: boolean;
  /**
   * Path of the service on the page's origin.
   * @default '/v1'
   * @example
   * startInference({ prefix: '/ai/v1' });
   */
  prefix?: string;
  /**
   * Other bases that are answered in the page, e.g. `https://api.openai.com/v1`.
   * @default []
   * @example
   * startInference({ intercept: ['https://api.openai.com/v1'] });
   */
  intercept?: readonly string[];
  /**
   * URL of the Service Worker's script, relative to the page; `false`: no Service Worker, only `inference.fetch`. ONNX
   * Runtime is loaded from `inpage/` beside the script (without one: below the app's base).
   * @default 'inpage-sw.js' below the app's base, which the Vite plugin knows and which is '/' with other bundlers
   * @example
   * startInference({ serviceWorker: '/sw.js' });
   */
  serviceWorker?: string | false;
  /**
   * Adds COOP and COEP headers to the app's own pages and workers by the Service Worker, where the host sends none: WASM
   * then runs on several threads, from the second load of a page on. It is `inpage-sw-isolated.js` beside `serviceWorker`
   * that is registered, which imports that one. Breaks what an isolated page cannot have: see the docs.
   * @default false
   * @example
   * startInference({ crossOriginIsolation: true });
   */
  crossOriginIsolation?: boolean;
  /**
   * Base of the hub that hub ids are of: a mirror, or a server of your own that answers as it does.
   * @default 'https://huggingface.co'
   * @example
   * startInference({ hub: 'https://hf-mirror.example' });
   */
  hub?: string;
  /**
   * Caches processed prompts on disk, up to this many bytes: a number, or a string such as `256MB` (`kB`, `MB`, `GB`). After
   * a reload, a cached prompt is not processed again. Default: off.
   * @example
   * startInference({ promptCache: '256MB' });
   */
  promptCache?: number | string;
  /**
   * Keep answers of `/responses` on this device for 30 days after their last use, so that later requests can continue them
   * (`previous_response_id`). `true` is the same as `64MB`; a number of bytes or a text with `kB`, `MB` or `GB` is the bound.
   * `memory` keeps them as long as the engine runs. `inference.removeResponses()` removes all of them. With several `apiKeys`
   * each has its share. `false`: nothing is
   * kept. Default: `true` with `compatibility: 'hosted'`, else nothing is kept.
   * @example
   * startInference({ storeResponses: '64MB' });
   */
  storeResponses?: boolean | number | string;
  /**
   * How files are kept that clients upload (`/files`, `/vector_stores`). Nothing is written before one is uploaded;
   * `inference.removeFiles()` removes all of them.
   * @example
   * startInference({ files: { maxBytes: '200MB' } });
   */
  files?: FileOptions;
  /**
   * What the Service Worker does with a request when no open tab hosts the engine, and none has since the browser started
   * it: `fail` answers 503, `network` lets it go on to the network, as if inpage had never been there. A request to an
   * intercepted base of another origin goes on only when it carries no key.
   * @default 'fail'
   * @example
   * startInference({ whenUnhosted: 'network' });
   */
  whenUnhosted?: 'fail' | 'network';
  /**
   * Endpoints of the app's own, answered in the page by the handlers that its server has: `{'POST /api/chat': handler}`. A key
   * is a method (absent: all) and a path with `:name` and, at its end, `*`, or an absolute URL of another origin. The first
   * key that fits answers; what fits none goes to the service or to the network.
   * @default {}
   * @example
   * import { POST } from './app/api/chat/route.js';
   * startInference({ routes: { 'POST /api/chat': POST } });
   */
  routes?: Readonly<Record<string, RouteHandler>>;
  /**
   * Called with each model's loading progress.
   * @example
   * startInference({ onProgress: ({ model, loadedBytes, totalBytes }) => console.log(model, loadedBytes, totalBytes) });
   */
  onProgress?: (progress: LoadProgress) => void;
}

const someKey = v.pipe(
  text('a key, or an object with a `key`', (value) => value !== ''),
  v.check(
    (value) => /^[!-~]+$/.test(value),
    'of printable ASCII characters without blanks, because clients can send no other key',
  ),
);
const keyObject = fields({ key: someKey, revoked: optional(v.boolean('true or false')) }, 'a field of a key');
const apiKey = v.lazy((value) => (typeof value === 'object' && value !== null ? keyObject : someKey));

const rateLimits = fields(
  { requestsPerMinute: optional(count), requestsPerDay: optional(count) },
  'a field of `rateLimits`',
);
true satisfies Same<v.InferInput<typeof rateLimits>, RateLimits>;

const modelId = text('the id of a model of the catalog');

const compatibility = v.picklist(['service', 'hosted'], 'one of service, hosted');

const path = text(
  'a path such as `/v1`, without a slash at its end',
  (value) => /^(\/[\w.~-]+)+$/.test(value) && !/\/\.{1,2}(\/|$)/.test(value),
);

/** An absolute URL that paths are appended to. */
const base = (example: string) =>
  text(
    `an absolute http(s) URL without query, such as \`${example}\``,
    (value) => /^https?:$/.test(protocolOf(value)) && !/[?#]/.test(value),
  );

/** A base URL of an API, which clients append their paths to. */
const interceptedBase = v.pipe(
  base('https://api.openai.com/v1'),
  v.check(
    (value) => !ENDPOINT_PATH.test(value),
    'a base URL such as `https://api.openai.com/v1`, without the path of an endpoint',
  ),
);

/** Seconds, about 24 days: timers cannot wait longer. */
const LONGEST_TIMEOUT = 2_147_483;

/** Empty for what is not an absolute URL. */
function protocolOf(url: string): string {
  try {
    return new URL(url).protocol;
  } catch {
    return '';
  }
}

const SIZE = 'a number of bytes above 0, or a number with kB, MB or GB such as `256MB`';
const UNITS: Readonly<Record<string, number>> = { kB: 1e3, MB: 1e6, GB: 1e9 };

/** Bytes. */
const size = v.pipe(
  v.union([v.number(), v.string()], SIZE),
  v.transform(toBytes),
  v.check((bytes) => Number.isFinite(bytes) && bytes > 0, SIZE),
);

/** NaN for what is not a size. */
function toBytes(value: number | string): number {
  if (typeof value === 'number') return value;
  const [, amount, unit] = /^(\d+(?:\.\d+)?) ?(kB|MB|GB)$/.exec(value) ?? [];
  return Math.floor(Number(amount) * (UNITS[unit ?? ''] ?? Number.NaN));
}

/** What `storeResponses` may be. */
export const STORING = 'true, false, `memory`, or a size such as `64MB`';
/** False, `memory`, or bytes. */
const storeResponses = v.union(
  [
    v.pipe(
      v.boolean(),
      v.transform((on) => (on ? STORED_RESPONSES_BYTES : false)),
    ),
    v.literal('memory'),
    size,
  ],
  STORING,
);

/** What a command line says of the option; undefined: nothing that it may be, which {@link STORING} says. */
export function storeResponsesIn(text: string): InferenceOptions['storeResponses'] {
  const value = text === 'true' || text === 'false' ? text === 'true' : text;
  return v.is(storeResponses, value) ? value : undefined;
}

const files = fields(
  { maxBytes: optional(size, STORED_FILES_BYTES), embeddingModel: optional(modelId), rerankModel: optional(modelId) },
  'a field of `files`',
);
true satisfies Same<v.InferInput<typeof files>, FileOptions>;

/** Used by the gateway and by the relays before it. Without `compatibility` it follows from the URL that was requested. */
const SHARED = { prefix: optional(path, '/v1'), compatibility: optional(compatibility) };

/** The options that each realm obeys. A realm is told all of its own, so an option is named here and where it is used. */
const REALMS = {
  /** Tabs whose values differ have an engine each. */
  gateway: v.object({
    models: optional(
      list(v.pipe(MODEL_ENTRY, v.transform(withBundledFiles)), 'an array of model entries'),
      DEFAULT_MODELS,
    ),
    apiKeys: optional(list(apiKey, "an array of keys, e.g. `['sk-…']`")),
    rateLimits: optional(rateLimits),
    requestTimeout: optional(
      number(
        `a number of seconds above 0 and at most ${LONGEST_TIMEOUT}`,
        (value) => value > 0 && value <= LONGEST_TIMEOUT,
      ),
      600,
    ),
    record: optional(v.boolean('true or false')),
    storeResponses: optional(storeResponses),
    files: optional(files),
    ...SHARED,
  }),
  /** The model workers; the same holds for them. */
  model: v.object({
    hub: optional(base('https://huggingface.co'), 'https://huggingface.co'),
    promptCache: optional(size),
  }),
  serviceWorker: v.object({
    ...SHARED,
    intercept: optional(
      list(v.pipe(interceptedBase, v.transform(withoutSlash)), 'an array of URLs such as `https://api.openai.com/v1`'),
      [],
    ),
    serviceWorker: optional(
      v.union([v.string(), v.literal(false)], 'the URL of a script, or false'),
      `${APP_BASE}inpage-sw.js`,
    ),
    crossOriginIsolation: optional(v.boolean('true or false'), false),
    whenUnhosted: optional(oneOf(['fail', 'network']), 'fail'),
  }),
  page: v.object({
    onProgress: optional(
      v.custom<(progress: LoadProgress) => void>((value) => typeof value === 'function', 'a function'),
      () => () => {},
    ),
    routes: optional(ROUTES, {}),
  }),
};

/** @internal What may be said to `startInference`. */
export const INFERENCE_OPTIONS = fields(
  {
    ...REALMS.gateway.entries,
    ...REALMS.model.entries,
    ...REALMS.serviceWorker.entries,
    ...REALMS.page.entries,
  },
  'an option of startInference',
);
true satisfies Same<v.InferInput<typeof INFERENCE_OPTIONS>, InferenceOptions>;

/** @internal The options that each realm obeys, with nothing left open. Of `routes` the Service Worker has the keys. */
export type OptionsByRealm = { [Realm in keyof typeof REALMS]: v.InferOutput<(typeof REALMS)[Realm]> } & {
  serviceWorker: { routes: readonly string[] };
};

/** @internal Options that passed their check, each for its realm. */
export function optionsByRealm(options: v.InferOutput<typeof INFERENCE_OPTIONS>): OptionsByRealm {
  const values = Object.entries(options);
  const of = (names: object): object => Object.fromEntries(values.filter(([name]) => Object.hasOwn(names, name)));
  const realms = Object.fromEntries(
    Object.entries(REALMS).map(([realm, { entries }]) => [realm, of(entries)]),
  ) as OptionsByRealm;
  return { ...realms, serviceWorker: { ...realms.serviceWorker, routes: Object.keys(options.routes) } };
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
