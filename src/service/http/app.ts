/** The service: the table of its operations, and how it is put together. @module */
import type { MiddlewareHandler } from 'hono';
import { Hono } from 'hono/tiny';
import { getPath } from 'hono/utils/url';
import { fetchPart } from '../../core/errors/fetch-part.js';
import { hearDefect } from '../../core/errors/hear-defect.js';
import { deserializeInferenceError, InferenceError } from '../../core/errors/inference-error.js';
import type { OptionsByRealm } from '../../core/models/inference-options.js';
import { createUuid } from '../../core/platform/create-uuid.js';
import { MAX_BODY_BYTES } from '../../core/request/max-body-bytes.js';
import { MESSAGES_PATH, OLLAMA_PATH } from '../../core/errors/error-bodies.js';
import { OLLAMA_GREETING, OWN_PATH } from '../../core/request/own-path.js';
import { ResumeState } from '../answer/resume-state.js';
import { FileStorage } from '../files/file-storage.js';
import { RecentItems } from '../state/recent-items.js';
import type { ControlledInference } from '../scheduler/inference.js';
import { audioEndpoints } from './audio/endpoints.js';
import { chatCompletionsEndpoint } from './chat-completions/route.js';
import { type Compatibility, COMPATIBILITY } from './policy/compatibility.js';
import { completionsEndpoint } from './completions/endpoints.js';
import { decisionsEndpoint, SYSTEM_ONE_PATH, systemOneEndpoint } from './decisions/endpoints.js';
import { embeddingsEndpoint } from './embeddings/endpoints.js';
import type { Endpoint } from './endpoint/endpoint.js';
import type { EndpointName } from './errors/error-table.js';
import { renderError } from './errors/render-error.js';
import { unknownPath } from './errors/unknown-path.js';
import { Faults } from './endpoint/faults.js';
import type { HttpContext, HttpEnvironment, HttpRequestContext, StreamTiming } from './endpoint/http-context.js';
import { countTokensEndpoint, messagesEndpoint } from './messages/endpoints.js';
import { fileEndpoints } from './files/endpoints.js';
import { listModelsEndpoint, MODELS_PATH, retrieveModelEndpoint } from './models/endpoints.js';
import { speaksAnthropic } from './models/speaks-anthropic.js';
import { ABSENT_PATHS, OLLAMA_ENDPOINTS } from './ollama/endpoints.js';
import { createKeyRing, type KeyRing } from './policy/api-key.js';
import { type CounterStore, defaultCounterStore } from './policy/counter-store.js';
import { createRateLimiter } from './policy/rate-limits.js';
import { RERANK_PATH, rerankEndpoint } from './rerank/endpoints.js';
import { conversationEndpoints } from './responses/conversation-endpoints.js';
import { storedResponseEndpoints } from './responses/stored-endpoints.js';
import { TOKENIZER_ENDPOINTS } from './tokenizer/endpoints.js';
import { vectorStoreEndpoints } from './vector-stores/endpoints.js';
import { compactEndpoint, inputTokensEndpoint, responsesEndpoint } from './responses/endpoints.js';

/** Every operation below the prefix. */
export const ENDPOINTS: readonly Endpoint[] = [
  chatCompletionsEndpoint,
  completionsEndpoint,
  messagesEndpoint,
  countTokensEndpoint,
  responsesEndpoint,
  inputTokensEndpoint,
  compactEndpoint,
  ...storedResponseEndpoints,
  ...conversationEndpoints,
  ...fileEndpoints,
  ...vectorStoreEndpoints,
  embeddingsEndpoint,
  rerankEndpoint,
  decisionsEndpoint,
  systemOneEndpoint,
  ...TOKENIZER_ENDPOINTS,
  ...audioEndpoints,
  listModelsEndpoint,
  retrieveModelEndpoint,
  ...OLLAMA_ENDPOINTS,
];

/** What {@link createApp} needs, and what tests may replace. */
export interface AppOptions extends Partial<OptionsByRealm['gateway']> {
  inference: ControlledInference;
  /** Where the operations live, e.g. `/v1`. */
  prefix: string;
  /** Milliseconds since 1970. @default Date.now */
  now?: () => number;
  /** Makes uuids. */
  createId?: () => string;
  /** @default counters in IndexedDB where there is one, else in memory */
  counterStore?: CounterStore;
  faults?: Faults;
  /** What keeps responses; absent: nothing does. */
  responses?: HttpContext['responses'];
  /** Items of late answers that are not stored; apps of one service share them. @default the app's own */
  recentItems?: RecentItems;
  /** What keeps files. @default memory of the app's own */
  fileStorage?: Pick<FileStorage, 'open' | 'readFile'>;
  modelStore?: HttpContext['modelStore'];
  /** @default first event awaited for 5 s, keep-alive every 10 s */
  streamTiming?: Partial<StreamTiming>;
  /**
   * The requests were meant for servers of other origins, as the option `intercept` names them. Below a whole server the
   * service lies at `/v1`, and `/` says that Ollama is running.
   */
  isIntercepted?: boolean;
  /** Largest JSON body in bytes. @default {@link MAX_BODY_BYTES} */
  maxBodyBytes?: number;
}

/** The app. `app.fetch(request)` answers a request; it never throws and never answers with a stack. */
export type App = Hono<HttpEnvironment>;

/** Seconds. */
const REQUEST_TIMEOUT = 600;

const DEFAULT_TIMING: StreamTiming = { startDelayMs: 5000, keepAliveMs: 10_000 };

/**
 * Builds the service around a {@link ControlledInference}.
 * @example
 * const app = createApp({ inference, prefix: '/v1' });
 * const response = await app.request('/v1/models');
 */
export function createApp(options: AppOptions): App {
  const context = createContext(options);
  const keyRing = createKeyRing(options.apiKeys);
  const { prefix } = options;
  const app: App = new Hono<HttpEnvironment>(
    options.isIntercepted ? { getPath: (request) => belowServer(getPath(request), prefix) } : {},
  );

  app.use('*', addIds(context));
  app.onError((error, c) => answerError(error, c, context));

  const offered = ENDPOINTS.filter(({ isOffered }) => isOffered?.(context.compatibility) ?? true);
  const paths = byPath([...offered, openApiEndpoint(offered, options)]);
  app.get(`${prefix}${OWN_PATH}`, (c) => c.body(null, 204));
  if (options.isIntercepted) app.get(`${prefix}/`, (c) => c.text(OLLAMA_GREETING));
  app.notFound((c) => {
    const { path } = c.req;
    const below = path.slice(options.prefix.length);
    if (`${below}/`.startsWith(OLLAMA_PATH)) c.set('endpoint', 'ollama');
    else if (isAnthropic(c, below)) c.set('endpoint', 'messages');
    return answerError(unknownPath(path, options.prefix, [...paths.keys()]), c, context);
  });
  for (const [path, endpoints] of paths) {
    const routes = endpoints.map((endpoint) => ({ method: endpoint.method, run: endpoint.route(context) }));
    for (const fullPath of fullPathsOf(path, options.prefix)) {
      app.use(fullPath, identifyCaller(endpoints, keyRing, options.apiKeys !== undefined));
      for (const { method, run } of routes) app.on(method, fullPath, run);
      app.all(fullPath, () => refuseMethod(endpoints));
    }
  }
  for (const path of ABSENT_PATHS) {
    app.use(options.prefix + path, identifyCaller([{ name: 'ollama' }], keyRing, options.apiKeys !== undefined));
    app.all(options.prefix + path, () => refuseAbsent());
  }
  return app;
}

/** The path of the service that one of a whole server stands for: that of OpenAI has the service at `/v1`. */
function belowServer(path: string, prefix: string): string {
  const start = prefix + SERVER_PATH;
  return `${path}/`.startsWith(`${start}/`) ? prefix + path.slice(start.length) : path;
}

/** @throws InferenceError with 501 */
function refuseAbsent(): never {
  const message =
    'Models cannot be created or published here. Add an entry to the option `models` of the page instead.';
  throw new InferenceError('invalid_request', message, { status: 501 });
}

/** Where servers of OpenAI's form have the service. */
const SERVER_PATH = '/v1';

/** What Anthropic's client puts behind its base, and Ollama's before `/systemone`, so that the base of the other clients serves it as well. */
const CLIENT_PATH = '/v1';

/** What Cohere's clients put behind theirs. */
const COHERE_PATHS = ['/v1', '/v2'];

function fullPathsOf(path: string, prefix: string): string[] {
  if (path === RERANK_PATH) return ['', ...COHERE_PATHS].map((own) => prefix + own + path);
  const isOfClient = path === SYSTEM_ONE_PATH || [MESSAGES_PATH, MODELS_PATH].some((own) => path.startsWith(own));
  return isOfClient ? [prefix + path, prefix + CLIENT_PATH + path] : [prefix + path];
}

/** Paths of Anthropic's API that this service does not have. */
const ANTHROPIC_PATHS = /^(\/v1)?\/(messages|complete|skills|organizations)(\/|$)/;

/** Whether the caller knows Anthropic's errors. @param path below the prefix */
function isAnthropic(c: HttpRequestContext, path: string): boolean {
  return speaksAnthropic(c) || ANTHROPIC_PATHS.test(path);
}

function createContext(options: AppOptions): HttpContext {
  const now = options.now ?? Date.now;
  const named = COMPATIBILITY[options.compatibility ?? 'service'];
  const compatibility: Compatibility = options.responses ? { ...named, responseStorage: 'offered' } : named;
  const { requestsPerMinute, requestsPerDay } = compatibility.rateLimits;
  const limits = {
    requestsPerMinute: options.rateLimits?.requestsPerMinute ?? requestsPerMinute,
    requestsPerDay: options.rateLimits?.requestsPerDay ?? requestsPerDay,
  };
  const limiter = createRateLimiter(limits, options.counterStore ?? defaultCounterStore(), now);
  const faults = options.faults ?? new Faults();
  const { inference, prefix: service } = options;
  const createId = options.createId ?? createUuid;
  const fileStorage =
    options.fileStorage ?? new FileStorage(options.files, { inference, now, createId, service, isLasting: false });
  return {
    inference,
    now,
    compatibility,
    startedAt: Math.floor(now() / 1000),
    createId,
    streamTiming: { ...DEFAULT_TIMING, ...options.streamTiming },
    faults,
    responses: options.responses,
    files: () => fileStorage.open(),
    readFile: (bytes, name) => fileStorage.readFile(bytes, name),
    recentItems: options.recentItems ?? new RecentItems(),
    requestTimeout: options.requestTimeout ?? REQUEST_TIMEOUT,
    modelStore: options.modelStore,
    maxBodyBytes: options.maxBodyBytes ?? MAX_BODY_BYTES,
    async admit(c, requests = 1) {
      c.set('answerHeaders', await limiter.take(c.get('caller'), requests));
      await faults.beforeAnswer(c.req.raw.signal);
    },
  };
}

function byPath(endpoints: readonly Endpoint[]): Map<string, Endpoint[]> {
  const paths = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) paths.set(endpoint.path, [...(paths.get(endpoint.path) ?? []), endpoint]);
  return paths;
}

/** Serves the document of these endpoints. The code that makes it is loaded with the first request. */
function openApiEndpoint(endpoints: readonly Endpoint[], { prefix, apiKeys }: AppOptions): Endpoint {
  return {
    name: 'service',
    method: 'GET',
    path: '/openapi.json',
    summary: 'Describes the service.',
    route: ({ compatibility, inference: { catalog } }) => {
      // Made once: it takes as long as hundreds of other requests.
      let text: Promise<string> | undefined;
      const make = async (): Promise<string> => {
        const { openApiDocument } = await fetchPart(() => import('./openapi/openapi.js'));
        const needsKey = apiKeys !== undefined;
        return JSON.stringify(await openApiDocument(endpoints, { prefix, compatibility, catalog, needsKey }));
      };
      return async (c) => {
        text ??= make();
        // A part that could not be fetched is asked for again.
        text.catch(() => (text = undefined));
        return c.body(await text, 200, { 'content-type': 'application/json' });
      };
    },
  };
}

/** Around everything: an id before, and after it the headers that every answer carries. */
function addIds(context: HttpContext): MiddlewareHandler<HttpEnvironment> {
  return async (c, next) => {
    // Nothing is bound where the app is asked without a gateway, in tests.
    const resumeState = (c.env as HttpRequestContext['env'] | undefined)?.resumeState ?? new ResumeState();
    c.set('resumeState', resumeState);
    c.set('inferenceId', resumeState.replay('id', context.createId));
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
  };
}

/** The request's id under every name that clients look for. */
function setIds(headers: Headers, endpoint: EndpointName, inferenceId: string): void {
  headers.set('inference-id', inferenceId);
  headers.set('x-request-id', inferenceId);
  if (endpoint === 'messages') headers.set('request-id', inferenceId);
}

/** Around the endpoints of one path: which error shapes they owe, and the key before anything else. */
function identifyCaller(
  endpoints: readonly Pick<Endpoint, 'name' | 'isOpen'>[],
  keyRing: KeyRing,
  hasKeys: boolean,
): MiddlewareHandler<HttpEnvironment> {
  return async (c, next) => {
    const { name = 'service', isOpen } = endpoints[0] ?? {};
    const isShared = name === 'models' || name === 'model';
    c.set('endpoint', isShared && speaksAnthropic(c) ? 'messages' : name);
    const { origin, refusal } = (c.env as HttpRequestContext['env'] | undefined) ?? {};
    if (refusal) throw deserializeInferenceError(refusal);
    if (isOpen) return next();
    const key = await keyRing.identify(c.req.raw.headers);
    const caller = origin ? `${key} ${origin}` : key;
    c.set('caller', caller);
    c.set('partition', hasKeys || origin !== undefined ? caller : undefined);
    await next();
  };
}

/** @throws InferenceError `method_not_allowed` */
function refuseMethod(endpoints: readonly Endpoint[]): never {
  const allow = endpoints.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  throw new InferenceError('method_not_allowed', `This path accepts only ${allow.join(' or ')}.`, { allow });
}

/** The answer to a request that failed. */
function answerError(thrown: unknown, c: HttpRequestContext, context: HttpContext): Response {
  // An address that no pattern fits (an empty path) comes here without having passed `addIds`.
  const { endpoint = 'service', inferenceId = createUuid() } = c.var as Partial<HttpEnvironment['Variables']>;
  const error = hearDefect(thrown, { requestId: inferenceId });
  const response = renderError(error, endpoint, inferenceId, context.compatibility);
  setIds(response.headers, endpoint, inferenceId);
  return response;
}
