/** The service for programs outside of a browser: a local HTTP server with a gateway, whose models run in Node or in a page. @module */
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { LaunchOptions } from 'playwright';
import * as v from 'valibot';
import { type ApiKey, INFERENCE_OPTIONS, type InferenceOptions } from '../core/models/inference-options.js';
import { secretsOfOptions } from '../core/models/header-secrets.js';
import type { ScriptedEntry } from '../core/models/model-entry.js';
import { fields, number, oneOf, optional, parseOptions, type Same, wrongOption } from '../core/models/option-schema.js';
import { Redactor } from '../core/models/redactor.js';
import { OLLAMA_GREETING } from '../core/request/own-path.js';
import { matchBase } from '../relay/match-base.js';
import { listen } from './http/listen.js';
import { isLoopbackHost, resolveTarget } from './http/local-request.js';
import { runsInNode, runsInProcess } from './models/runs-in-node.js';
import { createLimitedServer } from './limited-server.js';
import { logAnswers } from './log-answers.js';
import type { ServedFiles } from './served-files.js';
import { sendUnavailable } from './send-unavailable.js';
import { sendUnknownPath, servedPath } from './unknown-path.js';
import type { ServedGateway } from './served-gateway.js';
import { welcomePage } from './welcome-page.js';

/** Those of `startInference`, and how to serve. */
export interface ServeOptions extends Omit<InferenceOptions, 'onProgress' | 'routes' | 'serviceWorker' | 'intercept'> {
  /**
   * TCP port; 0: any free one.
   * @default 0
   */
  port?: number;
  /**
   * Address to listen on: `127.0.0.1`, or `0.0.0.0` or `::` for all interfaces. Then other machines can ask too, which requires
   * `apiKeys`. Requests, answers and keys cross the network without encryption.
   * @default '127.0.0.1'
   */
  host?: '127.0.0.1' | '0.0.0.0' | '::';
  /**
   * Print a line for each request: method, path, status and duration. Neither bodies nor keys.
   * @default false
   */
  log?: boolean;
  /** For Playwright's `chromium.launch`, e.g. `{ executablePath: '/usr/bin/chromium' }`. */
  launch?: LaunchOptions;
}

/** Where to listen; the first is for this machine alone. */
const HOSTS = ['127.0.0.1', '0.0.0.0', '::'] as const;

/** A running server. */
export interface InferenceServer {
  /** Absolute base, e.g. `http://localhost:8080/v1`: an SDK's `baseURL`. */
  readonly baseURL: string;
  /** The browser that runs the models, with its version; undefined: none of them needs one. */
  readonly browser: string | undefined;
  /**
   * Whether Chromium runs in its sandbox; undefined where `launch` decides, and without a browser. Where it cannot run, it is
   * off.
   */
  readonly sandbox: boolean | undefined;
  /**
   * With the option `record`: what the models have answered, as `PageInference.recorded` returns it.
   * @throws InferenceError `invalid_request` without the option, or Error when the page is gone
   */
  recorded(): Promise<ScriptedEntry[]>;
  /** Ends requests, browser and server. */
  close(): Promise<void>;
}

const isPort = (port: number): boolean => Number.isInteger(port) && port >= 0 && port <= 65_535;
const SERVE_OPTIONS = fields(
  {
    ...v.omit(INFERENCE_OPTIONS, ['onProgress', 'routes', 'serviceWorker', 'intercept']).entries,
    port: optional(number('a whole number from 0 to 65535', isPort), 0),
    host: optional(oneOf(HOSTS), '127.0.0.1'),
    log: optional(v.boolean('true or false'), false),
    launch: optional(v.custom<LaunchOptions>((value) => typeof value === 'object' && value !== null, 'an object')),
  },
  'an option of serveInference',
);
true satisfies Same<v.InferInput<typeof SERVE_OPTIONS>, Pick<ServeOptions, keyof ServeOptions>>;

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
 * Starts the service; resolves when requests are answered. `gguf`, `scripted` and `upstream` models run in Node, any other in a
 * page of a headless Chromium, which is started only for them. Without `host`, only programs of this machine reach the server. Web pages of
 * other origins are refused.
 * @throws InferenceError `invalid_request` (an option is wrong, `param` names it); Error that says what to do (no browser,
 * the port is taken)
 * @example
 * const server = await serveInference({ port: 8080 });
 * const openai = new OpenAI({ baseURL: server.baseURL, apiKey: 'none' });
 */
export async function serveInference(all: ServeOptions = {}): Promise<InferenceServer> {
  const checked = parseOptions(SERVE_OPTIONS, all);
  const { prefix, compatibility = 'service', models } = checked;
  const { port: _port, host: _host, launch, log: _log, ...options } = all;
  const isOpen = checked.host !== HOSTS[0];
  if (isOpen && !hasKey(checked.apiKeys))
    throw wrongOption('apiKeys', 'a list with a key that is not revoked, because `host` lets other machines ask');
  const isInNode = models.every(runsInNode);
  let opening: Promise<ServedGateway> | undefined;
  let origin = '';
  let files: ServedFiles | undefined;
  const busy: RequestListener = (request, response) => {
    const url = resolveTarget(request, origin)?.href ?? origin;
    void sendUnavailable(response, { url, compatibility, prefix });
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const refusal = explainRefusal(request.headers, isOpen);
    const target = resolveTarget(request, origin);
    if (refusal !== undefined) return refuse(response, 403, refusal);
    if (!target) return refuse(response, 404, 'The request names no address.');
    if (await files?.send(target.pathname, request, response)) return;
    const url = servedURL(target, prefix);
    if (url === undefined && target.pathname === '/')
      return greet(request, response, isOpen ? undefined : () => welcomePage(origin, options, isInNode));
    const served = await opening?.catch(() => undefined);
    if (!served) return busy(request, response);
    if (url !== undefined) return served.answer(url, request, response);
    if (target.pathname === HEALTH_PATH) return tellHealth(response, await served.isReady());
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
    const inference = { ...options, compatibility };
    if (isInNode) {
      if (!models.every(runsInProcess)) files = new (await import('./bundled-models.js')).BundledModels();
      return new ServedGateway(origin, inference);
    }
    files = new (await import('./page-files.js')).PageFiles();
    const { ModelsInPage } = await import('./models-in-page.js');
    const gateway = new ServedGateway(origin, inference, (...args) => new ModelsInPage({ origin, launch }, ...args));
    try {
      await gateway.open();
    } catch (thrown) {
      await gateway.close();
      throw thrown;
    }
    return gateway;
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
    const { baseURL, browser, sandbox } = served;
    return { baseURL, browser, sandbox, recorded: () => served.recorded(), close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
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

function tellHealth(response: ServerResponse, isReady: boolean): void {
  const headers = { 'content-type': 'application/json', ...(!isReady && { 'retry-after': '1' }) };
  response.writeHead(isReady ? 200 : 503, headers).end(JSON.stringify({ status: isReady ? 'ok' : 'unavailable' }));
}

function refuse(response: ServerResponse, status: number, reason: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(reason);
}

/**
 * Why a web page of another site is refused; undefined: the request does not come from one. Such a page must not get to the
 * models: neither by a name of its own that points here, nor by one of those requests that browsers send to any address.
 * @param isOpen other machines may ask, by whatever name they know this one: a page that has no key gets nothing
 */
function explainRefusal(headers: IncomingHttpHeaders, isOpen: boolean): string | undefined {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  if (!isOpen && !isLoopbackHost(host))
    return `This server answers for localhost only, not for ${JSON.stringify(host)}.`;
  const isOwn = origin === undefined || origin.toLowerCase() === `http://${host}`.toLowerCase();
  if (isOwn && site !== 'cross-site' && site !== 'same-site') return undefined;
  return `This server answers programs and its own page, not pages of ${JSON.stringify(origin ?? 'other sites')}.`;
}
