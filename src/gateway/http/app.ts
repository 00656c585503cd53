/** The service: which operations there are, and what happens to every request before and after them. @module */
import { Hono } from 'hono/tiny';
import { toInferenceError, InferenceError } from '../../core/errors/inference-error.js';
import { Faults } from './faults.js';
import type { CompatibilityName } from '../../core/models/access-options.js';
import type { Inference } from '../scheduler/inference.js';
import { transcriptionsEndpoint, translationsEndpoint } from './audio/route.js';
import { chatCompletionsEndpoint } from './chat-completions/route.js';
import { COMPATIBILITY } from './compatibility.js';
import { completionsEndpoint } from './completions/route.js';
import { embeddingsEndpoint } from './embeddings/route.js';
import type { Endpoint } from './endpoint.js';
import type { EndpointName } from './errors/error-table.js';
import { renderError } from './errors/render-error.js';
import type { HttpContext, HttpEnvironment, HttpRequestContext } from './http-context.js';
import { MAX_BODY_BYTES } from '../../core/request/max-body-bytes.js';
import { countTokensEndpoint } from './messages/count-tokens.js';
import { messagesEndpoint } from './messages/route.js';
import { listModelsEndpoint } from './models/list-models.js';
import { retrieveModelEndpoint } from './models/retrieve-model.js';
import { openApiEndpoint } from './openapi-endpoint.js';
import { createKeyRing } from './policy/api-key.js';
import type { ApiKey, RateLimits } from '../../core/models/access-options.js';
import type { KeyRing } from './policy/api-key.js';
import { createMemoryCounterStore } from './policy/counter-store.js';
import type { CounterStore } from './policy/counter-store.js';
import { createUuid } from '../../core/platform/create-uuid.js';
import { createIndexedDbCounterStore } from './policy/indexed-db-counter-store.js';
import { createRateLimiter } from './policy/rate-limits.js';
import { responsesEndpoint } from './responses/route.js';
import type { StreamTiming } from './sse/stream-timing.js';

/** Every operation below the prefix. */
export const ENDPOINTS: readonly Endpoint[] = [
  chatCompletionsEndpoint,
  completionsEndpoint,
  messagesEndpoint,
  countTokensEndpoint,
  responsesEndpoint,
  embeddingsEndpoint,
  transcriptionsEndpoint,
  translationsEndpoint,
  listModelsEndpoint,
  retrieveModelEndpoint,
];

/** What {@link createApp} needs, and what tests may replace. */
export interface AppOptions {
  inference: Inference;
  /** Where the operations live, e.g. `/v1`. */
  prefix: string;
  /** Absent: every credential and none is accepted. */
  apiKeys?: readonly ApiKey[];
  rateLimits?: RateLimits;
  /** @default 'service' */
  compatibility?: CompatibilityName;
  /** Milliseconds since 1970. @default Date.now */
  now?: () => number;
  /** Makes uuids. */
  createId?: () => string;
  /** @default counters in IndexedDB where there is one, else in memory */
  counterStore?: CounterStore;
  faults?: Faults;
  /** @default first event awaited for 5 s, keep-alive every 10 s */
  streamTiming?: Partial<StreamTiming>;
  /** Largest JSON body in bytes. @default {@link MAX_BODY_BYTES} */
  maxBodyBytes?: number;
}

/** The app. `app.fetch(request)` answers a request; it never throws and never answers with a stack. */
export type App = Hono<HttpEnvironment>;

const DEFAULT_TIMING: StreamTiming = { startDelayMs: 5000, keepAliveMs: 10_000 };

/**
 * Builds the service around an {@link Inference}.
 * @example
 * const app = createApp({ inference, prefix: '/v1' });
 * const response = await app.request('/v1/models');
 */
export function createApp(options: AppOptions): App {
  const context = createContext(options);
  const keyRing = createKeyRing(options.apiKeys);
  const app: App = new Hono<HttpEnvironment>();

  app.use('*', (c, next) => frame(c, next, context));
  app.onError((error, c) => answerError(error, c, context));
  app.notFound((c) => answerError(new InferenceError('not_found', 'This path does not exist.'), c, context));

  for (const [path, endpoints] of byPath([...ENDPOINTS, openApiEndpoint(ENDPOINTS, options.prefix)])) {
    const fullPath = `${options.prefix}${path}`;
    app.use(fullPath, (c, next) => enter(c, next, endpoints, keyRing));
    for (const endpoint of endpoints) app.on(endpoint.method, fullPath, endpoint.route(context));
    app.all(fullPath, () => refuseMethod(endpoints));
  }
  return app;
}

function createContext(options: AppOptions): HttpContext {
  const now = options.now ?? Date.now;
  const limiter = createRateLimiter(options.rateLimits, options.counterStore ?? defaultCounterStore(), now);
  const faults = options.faults ?? new Faults();
  return {
    inference: options.inference,
    now,
    compatibility: COMPATIBILITY[options.compatibility ?? 'service'],
    startedAt: Math.floor(now() / 1000),
    createId: options.createId ?? createUuid,
    streamTiming: { ...DEFAULT_TIMING, ...options.streamTiming },
    faults,
    maxBodyBytes: options.maxBodyBytes ?? MAX_BODY_BYTES,
    async admit(c, requests = 1) {
      c.set('answerHeaders', await limiter.take(c.get('caller'), requests));
      await faults.beforeAnswer(c.req.raw.signal);
    },
  };
}

function defaultCounterStore(): CounterStore {
  return typeof indexedDB === 'undefined' ? createMemoryCounterStore() : createIndexedDbCounterStore();
}

type Next = () => Promise<void>;

/** Around everything: an id before, the headers that every answer carries after. */
async function frame(c: HttpRequestContext, next: Next, context: HttpContext): Promise<void> {
  c.set('inferenceId', context.createId());
  c.set('endpoint', 'service');
  c.set('answerHeaders', {});
  try {
    await next();
  } catch (thrown) {
    // hono hands only instances of Error to onError.
    c.res = answerError(thrown, c, context);
  }
  setIds(c.res.headers, c.get('endpoint'), c.get('inferenceId'));
  for (const [name, value] of Object.entries(c.get('answerHeaders'))) c.res.headers.set(name, value);
}

/** The request's id under every name that clients look for. */
function setIds(headers: Headers, endpoint: EndpointName, inferenceId: string): void {
  headers.set('inference-id', inferenceId);
  headers.set('x-request-id', inferenceId);
  if (endpoint === 'messages') headers.set('request-id', inferenceId);
}

/** Around the endpoints of one path: their error shapes, and the key before anything else. */
async function enter(
  c: HttpRequestContext,
  next: Next,
  endpoints: readonly Endpoint[],
  keyRing: KeyRing,
): Promise<void> {
  c.set('endpoint', endpoints[0]?.name ?? 'service');
  c.set('caller', await keyRing.identify(c.req.raw.headers));
  await next();
}

function refuseMethod(endpoints: readonly Endpoint[]): never {
  const allow = endpoints.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  throw new InferenceError('method_not_allowed', `This path takes ${allow.join(' or ')} only.`, { allow });
}

function answerError(thrown: unknown, c: HttpRequestContext, context: HttpContext): Response {
  const error = toInferenceError(thrown);
  if (error.code === 'internal' && error.cause !== undefined) console.error(error.cause);
  // An address that no pattern fits (an empty path) comes here without having passed `frame`.
  const { endpoint = 'service', inferenceId = createUuid() } = c.var as Partial<HttpEnvironment['Variables']>;
  const response = renderError(error, endpoint, inferenceId, context.compatibility);
  setIds(response.headers, endpoint, inferenceId);
  return response;
}

function byPath(endpoints: readonly Endpoint[]): Map<string, Endpoint[]> {
  const paths = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) paths.set(endpoint.path, [...(paths.get(endpoint.path) ?? []), endpoint]);
  return paths;
}
