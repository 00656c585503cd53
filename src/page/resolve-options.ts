/** Checks the options of `startInference` and fills in the defaults. @module */
import { InferenceError } from '../core/errors/inference-error.js';
import { APP_BASE } from '../core/models/app-base.js';
import { DEFAULT_MODELS } from '../core/models/default-catalog.js';
import { entriesByName } from '../core/models/entries-by-name.js';
import type { LoadProgress, ModelEntry } from '../core/models/model-entry.js';
import { filesOf } from '../core/models/entry-files.js';
import { TASKS } from '../core/models/tasks.js';
import { packedURL } from '../core/models/packed-url.js';
import { type Bases, matchBase } from '../relay/match-base.js';
import type { ApiKey, CompatibilityName, RateLimits } from '../core/models/access-options.js';
import type { InferenceOptions } from './start-options.js';

/** Options with nothing left open. URLs are absolute. */
export interface ResolvedOptions extends Bases {
  models: readonly ModelEntry[];
  apiKeys: readonly ApiKey[] | undefined;
  rateLimits: RateLimits | undefined;
  compatibility: CompatibilityName;
  requestTimeout: number;
  serviceWorker: string | false;
  crossOriginIsolation: boolean;
  hubURL: string | undefined;
  crossOriginStorage: boolean | undefined;
  whenUnhosted: 'fail' | 'network';
  onProgress: (progress: LoadProgress) => void;
}

const COMPATIBILITIES = ['service', 'openai'];
const BACKENDS = ['transformers', 'web-llm', 'upstream', 'scripted'];
const DEVICES = ['auto', 'webgpu', 'wasm'];
/** What transformers.js knows. */
const DTYPES = 'auto fp32 fp16 q8 int8 uint8 q4 q4f16 bnb4 q2 q2f16 q1 q1f16'.split(' ');

/**
 * The options with all defaults filled in.
 * @param page its origin, and the absolute URL that relative ones are resolved against
 * @throws InferenceError `invalid_request`, whose `param` is the option
 */
export function resolveOptions(
  options: InferenceOptions,
  { origin, pageURL }: { origin: string; pageURL: string },
): ResolvedOptions {
  if (!isObject(options)) throw new InferenceError('invalid_request', 'The options must be an object.');
  const { models = DEFAULT_MODELS, apiKeys, rateLimits, requestTimeout = 600, prefix = '/v1' } = options;
  const { compatibility = 'service' } = options;
  const { intercept = [], serviceWorker = `${APP_BASE}inpage-sw.js`, onProgress = () => {} } = options;
  const { hub, crossOriginStorage } = options;
  const { whenUnhosted = 'fail', crossOriginIsolation = false } = options;
  checkModels(models, pageURL);
  checkApiKeys(apiKeys);
  checkRateLimits(rateLimits);
  check(COMPATIBILITIES.includes(compatibility), 'compatibility', `one of ${COMPATIBILITIES.join(', ')}`);
  check(typeof requestTimeout === 'number' && requestTimeout > 0, 'requestTimeout', 'a number of seconds above 0');
  check(
    typeof prefix === 'string' && /^(\/[\w.~-]+)+$/.test(prefix) && !/\/\.{1,2}(\/|$)/.test(prefix),
    'prefix',
    'a path such as `/v1`, without a slash at its end',
  );
  check(Array.isArray(intercept), 'intercept', 'an array of URLs');
  intercept.forEach((base, index) => checkBase(base, `intercept.${index}`));
  const bases = { origin, prefix, intercept: intercept.map((base) => base.replace(/\/+$/, '')) };
  checkUpstreams(models, bases, pageURL);
  check(serviceWorker === false || typeof serviceWorker === 'string', 'serviceWorker', 'the URL of a script, or false');
  check(typeof crossOriginIsolation === 'boolean', 'crossOriginIsolation', 'true or false');
  check(['fail', 'network'].includes(whenUnhosted), 'whenUnhosted', '`fail` or `network`');
  check(typeof onProgress === 'function', 'onProgress', 'a function');
  if (hub) checkBase(hub, 'hub');
  return {
    models: copy(models, 'models').map(inPack),
    apiKeys: copy(apiKeys, 'apiKeys'),
    rateLimits: copy(rateLimits, 'rateLimits'),
    compatibility,
    requestTimeout,
    ...bases,
    serviceWorker: serviceWorker === false ? false : new URL(serviceWorker, pageURL).href,
    crossOriginIsolation,
    hubURL: hub,
    crossOriginStorage,
    whenUnhosted,
    onProgress,
  };
}

function checkModels(models: readonly ModelEntry[], pageURL: string): void {
  check(Array.isArray(models), 'models', 'an array of model entries');
  models.forEach((entry, index) => {
    const name = `models.${index}`;
    check(isObject(entry), name, 'a model entry');
    check(typeof entry.id === 'string' && entry.id !== '', `${name}.id`, 'a text that is not empty');
    check(TASKS.includes(entry.task), `${name}.task`, `one of ${TASKS.join(', ')}`);
    check(BACKENDS.includes(entry.backend), `${name}.backend`, `one of ${BACKENDS.join(', ')}`);
    check(DEVICES.includes(entry.device ?? 'auto'), `${name}.device`, `one of ${DEVICES.join(', ')}`);
    check(
      isDtype(entry.dtype),
      `${name}.dtype`,
      `one of ${DTYPES.join(', ')}, or an object with these for \`wasm\` and \`webgpu\`, or for parts of the model`,
    );
    check(hasFiles(entry, pageURL), name, 'an entry with URLs, or a hub id');
  });
  // Refuses names that are used twice.
  entriesByName(models);
}

/** Parts of models that see. */
const PARTS = ['embed_tokens', 'vision_encoder', 'audio_encoder', 'decoder_model_merged'];

function isDtype(dtype: unknown, names = ['wasm', 'webgpu', ...PARTS]): boolean {
  if (dtype === undefined || DTYPES.includes(dtype as string)) return true;
  return (
    isObject(dtype) &&
    Object.entries(dtype as object).every(([name, said]) => names.includes(name) && isDtype(said, PARTS))
  );
}

/** A model behind a base that is answered here would ask itself. */
function checkUpstreams(models: readonly ModelEntry[], bases: Bases, pageURL: string): void {
  models.forEach((entry, index) => {
    const isOwn = (url: string): boolean => matchBase(new URL(url), bases) !== undefined;
    const loops = entry.backend === 'upstream' && filesOf(entry, pageURL).some(isOwn);
    check(!loops, `models.${index}.source`, 'outside of `prefix` and `intercept`');
  });
}

function hasFiles(entry: ModelEntry, pageURL: string): boolean {
  try {
    filesOf(entry, pageURL);
    return true;
  } catch {
    return false;
  }
}

function checkApiKeys(apiKeys: readonly ApiKey[] | undefined): void {
  if (apiKeys === undefined) return;
  check(Array.isArray(apiKeys), 'apiKeys', 'an array of keys');
  apiKeys.forEach((entry, index) => {
    const key = typeof entry === 'string' ? entry : entry?.key;
    check(typeof key === 'string' && key !== '', `apiKeys.${index}`, 'a key, or an object with a `key`');
  });
}

function checkRateLimits(rateLimits: RateLimits | undefined): void {
  if (rateLimits === undefined) return;
  check(isObject(rateLimits), 'rateLimits', 'an object');
  for (const name of ['requestsPerMinute', 'requestsPerDay'] as const) {
    const limit = rateLimits[name];
    check(
      limit === undefined || (Number.isInteger(limit) && limit > 0),
      `rateLimits.${name}`,
      'a whole number above 0',
    );
  }
}

function checkBase(base: string, option: string): void {
  const url = typeof base === 'string' && URL.canParse(base) ? new URL(base) : undefined;
  const plain = url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  check(
    plain && !/[?#]$/.test(base),
    option,
    'an absolute http(s) URL without query, such as `https://api.openai.com/v1`',
  );
}

/** The Vite plugin serves packed folders under names with a hash. */
function inPack(entry: ModelEntry): ModelEntry {
  if (entry.backend === 'upstream') return entry;
  const { source, modelLibrary } = entry;
  return {
    ...entry,
    ...(source !== undefined && { source: packedURL(source) }),
    ...(modelLibrary !== undefined && { modelLibrary: packedURL(modelLibrary) }),
  };
}

/** The engine gets a copy, because it runs in another realm. */
function copy<Value>(value: Value, option: string): Value {
  try {
    return structuredClone(value);
  } catch {
    throw wrong(option, 'plain data, without functions and without the proxies of reactive frameworks');
  }
}

function check(correct: boolean, option: string, expected: string): asserts correct {
  if (!correct) throw wrong(option, expected);
}

function wrong(option: string, expected: string): InferenceError {
  return new InferenceError('invalid_request', `The option \`${option}\` must be ${expected}.`, { param: option });
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
