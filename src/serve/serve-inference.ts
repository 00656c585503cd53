/** The service for programs outside of a browser: a local HTTP server with a gateway, whose models run in threads of Node. @module */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import * as v from 'valibot';
import { type ApiKey, INFERENCE_OPTIONS, type InferenceOptions } from '../core/models/inference-options.js';
import { secretsOfOptions } from '../core/models/header-secrets.js';
import type { LoadProgress, ScriptedEntry, TypedModelEntry } from '../core/models/model-entry.js';
import {
  fields,
  list,
  number,
  oneOf,
  optional,
  parseOptions,
  type Same,
  text,
  wrongOption,
} from '../core/models/option-schema.js';
import { Redactor } from '../core/models/redactor.js';
import { OLLAMA_GREETING } from '../core/request/own-path.js';
import { matchBase } from '../relay/match-base.js';
import { corsHeaders, originOf, preflightHeaders } from './http/cors.js';
import { listen } from './http/listen.js';
import { isLoopbackHost, resolveTarget } from './http/local-request.js';
import { withDiskSources } from './models/disk-sources.js';
import { createLimitedServer } from './limited-server.js';
import { logAnswers } from './log-answers.js';
import { sendUnavailable } from './send-unavailable.js';
import { sendUnknownPath, servedPath } from './unknown-path.js';
import type { PromptCacheBounds, ServedGateway } from './served-gateway.js';
import { welcomePage } from './welcome-page.js';

/** How to serve, once models are entries. */
interface CheckedServeOptions extends Omit<InferenceOptions, 'routes' | 'serviceWorker' | 'intercept'> {
  /**
   * TCP port; 0: any free one.
   * @default 0
   * @example
   * serveInference({ port: 8080 });
   */
  port?: number;
  /**
   * Address to listen on: `127.0.0.1`, or `0.0.0.0` or `::` for all interfaces. Then other machines can ask too, which requires
   * `apiKeys`. Requests, answers and keys cross the network without encryption.
   * @default '127.0.0.1'
   * @example
   * serveInference({ host: '0.0.0.0', apiKeys: [process.env['KEY']!] });
   */
  host?: '127.0.0.1' | '0.0.0.0' | '::';
  /**
   * Print a line for each request: method, path, status and duration. Neither bodies nor keys.
   * @default false
   * @example
   * serveInference({ log: true });
   */
  log?: boolean;
  /**
   * Origins whose web pages may ask too, e.g. `app://obsidian.md` or `http://localhost:3000`. Requires `apiKeys`.
   * @default []
   * @example
   * serveInference({ allowOrigins: ['http://localhost:3000'], apiKeys: [process.env['KEY']!] });
   */
  allowOrigins?: readonly string[];
  /**
   * Told how far each model's loading is.
   * @example
   * serveInference({ onProgress: ({ model, loadedBytes }) => console.error(model, loadedBytes) });
   */
  onProgress?: (progress: LoadProgress) => void;
}

/** Those of `startInference`, and how to serve. */
export interface ServeOptions extends Omit<CheckedServeOptions, 'models'> {
  /**
   * The models to serve: entries, paths of GGUF files (`./model.gguf`) and repositories of the hub (`owner/name`,
   * `owner/name:Q4_K_M`). A `source` may be a path, too.
   * @default the bundled tiny-chat, tiny-embed and tiny-whisper
   * @example
   * serveInference({ models: ['./model.gguf', 'Qwen/Qwen3-0.6B-GGUF:Q8_0'] });
   */
  models?: readonly (TypedModelEntry | string)[];
}

/** Where to listen; the first is for this machine alone. */
const HOSTS = ['127.0.0.1', '0.0.0.0', '::'] as const;

/** A running server. */
export interface InferenceServer {
  /** Absolute base, e.g. `http://localhost:8080/v1`: an SDK's `baseURL`. */
  readonly baseURL: string;
  /**
   * With the option `record`: what the models have answered, as `PageInference.recorded` returns it.
   * @throws InferenceError `invalid_request` without the option
   */
  recorded(): Promise<ScriptedEntry[]>;
  /** Ends requests, threads and server. */
  close(): Promise<void>;
}

const isPort = (port: number): boolean => Number.isInteger(port) && port >= 0 && port <= 65_535;
const ORIGIN =
  'an origin such as `http://localhost:3000` or `app://obsidian.md`, without a path; neither `*` nor `null`, because both stand for any page';
const SERVE_OPTIONS = fields(
  {
    ...v.omit(INFERENCE_OPTIONS, ['routes', 'serviceWorker', 'intercept']).entries,
    port: optional(number('a whole number from 0 to 65535', isPort), 0),
    host: optional(oneOf(HOSTS), '127.0.0.1'),
    log: optional(v.boolean('true or false'), false),
    allowOrigins: optional(
      list(
        text(ORIGIN, (value) => originOf(value) !== undefined),
        'an array of origins',
      ),
      [],
    ),
  },
  'an option of serveInference',
);
true satisfies Same<v.InferInput<typeof SERVE_OPTIONS>, Pick<CheckedServeOptions, keyof CheckedServeOptions>>;

const WELCOME_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
};

/** Says whether requests would be answered. */
const HEALTH_PATH = '/health';

/** Beyond them 503. */
const MAX_CONNECTIONS = 4_096;

/** Bodies are bounded by what reads them, so that sound may be spoken for an hour. */
const PATIENCE = { head: 10_000, request: 0, look: 2_000 };

/**
 * Starts the service; resolves when requests are answered. Models run in threads of Node; one that only a page can run (WebGPU,
 * the browser's built-in model) is answered with 503. Without `host`, only programs of this machine reach the server, and
 * web pages only from `allowOrigins`.
 * @throws InferenceError `invalid_request` (an option is wrong, `param` names it) or `unavailable` (a model that is named by a word
 * is not there); Error that says what to do (the port is taken)
 * @example
 * const server = await serveInference({ port: 8080, models: ['./model.gguf'] });
 * const openai = new OpenAI({ baseURL: server.baseURL, apiKey: 'none' });
 */
export async function serveInference(all: ServeOptions = {}): Promise<InferenceServer> {
  const { onProgress } = all;
  const options = await serviceOptions(all);
  const checked = parseOptions(SERVE_OPTIONS, { ...all, ...options });
  const { prefix, compatibility = 'service' } = checked;
  const { isOpen, allowed } = readDoors(checked);
  let opening: Promise<ServedGateway> | undefined;
  let origin = '';
  const busy: RequestListener = (request, response) => {
    const url = resolveTarget(request, origin)?.href ?? origin;
    void sendUnavailable(response, { url, compatibility, prefix });
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { origin: asking } = request.headers;
    const page = asking !== undefined && allowed.has(asking) ? asking : undefined;
    const refusal = explainRefusal(request, { isOpen, isAllowed: page !== undefined });
    const target = resolveTarget(request, origin);
    if (refusal !== undefined) return refuse(response, 403, refusal);
    if (page !== undefined && request.method === 'OPTIONS')
      return void response.writeHead(204, preflightHeaders(request, page)).end();
    if (page !== undefined) response.setHeaders(new Map(Object.entries(corsHeaders(page, []))));
    if (!target) return refuse(response, 404, 'The request names no address.');
    const url = servedURL(target, prefix);
    if (url === undefined && target.pathname === '/')
      return greet(request, response, isOpen ? undefined : () => welcomePage(origin, options));
    const served = await opening?.catch(() => undefined);
    if (!served) return busy(request, response);
    if (url !== undefined) return served.answer(url, request, response, page);
    if (target.pathname === HEALTH_PATH) return tellHealth(response, served.promptCache);
    sendUnknownPath(response, target.pathname, prefix);
  };
  const redactor = new Redactor(secretsOfOptions(checked));
  const server = createLimitedServer(
    (request, response) => {
      if (checked.log) logAnswers(request, response, redactor);
      answer(request, response).catch(() => response.destroy());
    },
    { patience: PATIENCE, connections: MAX_CONNECTIONS, onBusy: busy },
  );
  const open = async (): Promise<ServedGateway> => {
    const { ServedGateway } = await import('./served-gateway.js');
    return new ServedGateway(origin, { ...options, compatibility }, { onProgress });
  };
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    const served = await opening?.catch(() => undefined);
    await Promise.all([served?.close(), new Promise((resolve) => server.close(resolve))]);
  };
  try {
    origin = `http://localhost:${await listen(server, checked.port ?? 0, checked.host)}`;
    opening = open();
    const served = await opening;
    return { baseURL: served.baseURL, recorded: async () => served.recorded(), close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** Who may ask: other machines, and web pages of which origins. @throws InferenceError where there is no key for them */
function readDoors({ host, apiKeys, allowOrigins }: v.InferOutput<typeof SERVE_OPTIONS>): {
  isOpen: boolean;
  allowed: ReadonlySet<string | undefined>;
} {
  const isOpen = host !== HOSTS[0];
  if (isOpen && !hasKey(apiKeys))
    throw wrongOption('apiKeys', 'a list with a key that is not revoked, because `host` lets other machines ask');
  const allowed = new Set(allowOrigins.map(originOf));
  if (allowed.size > 0 && !hasKey(apiKeys))
    throw wrongOption('allowOrigins', 'left out, or beside `apiKeys` with a key that is not revoked');
  return { isOpen, allowed };
}

/**
 * Refuses options of a wrong type by name, also those that something else will stand in for.
 * @throws InferenceError
 */
export function checkServeOptions(all: ServeOptions): void {
  const { models, onProgress: _onProgress, ...options } = all;
  // A list of models is checked when its words are entries.
  parseOptions(SERVE_OPTIONS, { ...options, ...(models !== undefined && !Array.isArray(models) && { models }) });
}

/** What the service itself is told. */
async function serviceOptions(all: ServeOptions) {
  const { port: _port, host: _host, log: _log, allowOrigins: _origins, ...options } = await withEntries(all);
  const { onProgress: _onProgress, ...ofService } = options;
  return ofService;
}

/** Options whose words are entries, and whose paths are URLs. */
async function withEntries(all: ServeOptions): Promise<CheckedServeOptions> {
  // What the tools of the hub read.
  const hub = all.hub ?? (process.env['HF_ENDPOINT'] || undefined);
  const options = { ...all, ...(hub !== undefined && { hub }) };
  const folder = process.cwd();
  const { models } = options;
  if (!Array.isArray(models)) return options as CheckedServeOptions;
  const entries = (models as readonly (TypedModelEntry | string)[]).map(async (model, index) => {
    if (typeof model !== 'string') return model;
    const { isModelWord, resolveWords } = await import('./model-words.js');
    if (!isModelWord(model))
      throw wrongOption(`models.${index}`, 'an entry, the path of a .gguf file, or `owner/name`');
    const [entry] = await resolveWords([model], { folder, hub, onProgress: all.onProgress });
    return entry!;
  });
  return withDiskSources({ ...options, models: await Promise.all(entries) }, folder);
}

/** The address below the service's base that a request is for; undefined: none. */
function servedURL(target: URL, prefix: string): string | undefined {
  const { origin, pathname } = target;
  const served = servedPath(pathname, prefix);
  return served === undefined ? matchBase(target, { origin, prefix, intercept: [] }) : origin + served;
}

function hasKey(keys: readonly ApiKey[] = []): boolean {
  return keys.some((each) => typeof each === 'string' || each.revoked !== true);
}

/**
 * A browser gets a page; programs that look for Ollama get its sentence.
 * @param page undefined: none, because it names the models and asks for no key
 */
function greet({ headers }: IncomingMessage, response: ServerResponse, page: (() => string) | undefined): void {
  if (page && headers.accept?.includes('text/html')) response.writeHead(200, WELCOME_HEADERS).end(page());
  else response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(OLLAMA_GREETING);
}

function tellHealth(response: ServerResponse, promptCache: PromptCacheBounds): void {
  const body = { status: 'ok', prompt_cache: promptCache };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function refuse(response: ServerResponse, status: number, reason: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(reason);
}

/**
 * Why a web page of another site is refused; undefined: the request does not come from one, or from one that may ask. Such a
 * page must not get to the models: neither by a name of its own that points here, nor by one of those requests that browsers
 * send to any address.
 * @param isOpen other machines may ask, by whatever name they know this one: a page that has no key gets nothing
 */
function explainRefusal(
  { headers, httpVersion }: IncomingMessage,
  { isOpen, isAllowed }: { isOpen: boolean; isAllowed: boolean },
): string | undefined {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  // Health checks speak HTTP/1.0 and name no host; a browser never does.
  const isNameless = httpVersion === '1.0' && headers.host === undefined;
  if (!isOpen && !isNameless && !isLoopbackHost(host))
    return `This server answers for localhost only, not for ${JSON.stringify(host)}.`;
  if (isAllowed) return undefined;
  const isOwn = origin === undefined || origin.toLowerCase() === `http://${host}`.toLowerCase();
  if (isOwn && site !== 'cross-site' && site !== 'same-site') return undefined;
  return `This server answers programs and its own page, not pages of ${JSON.stringify(origin ?? 'other sites')}.`;
}
