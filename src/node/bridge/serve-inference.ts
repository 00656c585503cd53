/**
 * The service for programs that are no browsers: a local HTTP server, whose `/v1` is answered by a page in a headless
 * browser.
 * @module
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LaunchOptions } from 'playwright';
import * as v from 'valibot';
import {
  type CompatibilityName,
  INFERENCE_OPTIONS,
  type InferenceOptions,
} from '../../core/models/inference-options.js';
import type { ScriptedEntry } from '../../core/models/model-entry.js';
import { fields, number, optional, parseOptions, type Same } from '../../core/models/option-schema.js';
import { OLLAMA_GREETING } from '../../core/request/own-path.js';
import { matchBase } from '../../relay/match-base.js';
import { HOST_PAGE, hostHtml, listHostFiles } from '../static-files/host-files.js';
import { ISOLATION_HEADERS, mediaTypeOf, sendFile } from '../static-files/static-files.js';
import { type HostedOptions, sendUnavailable } from './page-bridge.js';
import { PageKeeper } from './page-keeper.js';
import { RequestBodies } from './request-bodies.js';
import { sendUnknownPath, servedPath } from './unknown-path.js';
import { welcomePage } from './welcome-page.js';

/** Those of `startInference`, and how to serve. */
export interface ServeOptions extends Omit<InferenceOptions, 'onProgress' | 'routes' | 'serviceWorker' | 'intercept'> {
  /**
   * TCP port on the loopback interface; 0: any free one.
   * @default 0
   */
  port?: number;
  /** For Playwright's `chromium.launch`, e.g. `{ executablePath: '/usr/bin/chromium' }`. */
  launch?: LaunchOptions;
}

/** A running server. */
export interface InferenceServer {
  /** Absolute base, e.g. `http://localhost:8080/v1`: an SDK's `baseURL`. */
  readonly baseURL: string;
  /** Whether Chromium runs in its sandbox; undefined where `launch` decides. Where it cannot run, it is off. */
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
    launch: optional(v.custom<LaunchOptions>((value) => typeof value === 'object' && value !== null, 'an object')),
  },
  'an option of serveInference',
);
true satisfies Same<v.InferInput<typeof SERVE_OPTIONS>, Pick<ServeOptions, keyof ServeOptions>>;

const PAGE_HEADERS = { ...ISOLATION_HEADERS, 'content-type': mediaTypeOf(HOST_PAGE) };

const WELCOME_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
};

/**
 * Starts browser, page and server; resolves when requests are answered. Only programs of this machine reach the
 * server: other origins' web pages are refused.
 * @throws InferenceError `invalid_request` (an option is wrong, `param` names it); Error that says what to do (no browser,
 * the port is taken)
 * @example
 * const server = await serveInference({ port: 8080 });
 * const openai = new OpenAI({ baseURL: server.baseURL, apiKey: 'none' });
 */
export async function serveInference(all: ServeOptions = {}): Promise<InferenceServer> {
  const { port, launch, prefix, compatibility = 'service' } = parseOptions(SERVE_OPTIONS, all);
  // The page fills in its own defaults.
  const { port: _port, launch: _launch, ...options } = all;
  const files = listHostFiles();
  const html = hostHtml();
  const bodies = new RequestBodies();
  const server = createLimitedServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const origin = await listen(server, port);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const target = targetOf(request, origin);
    const file = files.get(target?.pathname ?? '');
    if (isForeign(request.headers)) response.writeHead(403).end('Forbidden');
    else if (!target) response.writeHead(404).end('Not Found');
    else if (target.pathname === HOST_PAGE) response.writeHead(200, PAGE_HEADERS).end(html);
    else if (target.pathname === '/') greet(request, response, () => welcomePage(origin, options));
    else if (file !== undefined) await sendFile(file, request, response, ISOLATION_HEADERS);
    else if (!(await bodies.send(target.pathname, response)))
      await forward(target, { keeper, compatibility, prefix }, request, response);
  };

  const inference: HostedOptions = { ...options, compatibility, serviceWorker: false };
  const keeper = new PageKeeper({ origin, inference, bodies, launch });
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await Promise.all([keeper.close(), new Promise((resolve) => server.close(resolve))]);
  };
  try {
    const { baseURL } = await keeper.page();
    return { baseURL, sandbox: keeper.sandbox, recorded: async () => (await keeper.page()).recorded(), close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** A browser gets a page; programs that look for Ollama get its sentence. */
function greet({ headers }: IncomingMessage, response: ServerResponse, page: () => string): void {
  if (headers.accept?.includes('text/html')) response.writeHead(200, WELCOME_HEADERS).end(page());
  else response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(OLLAMA_GREETING);
}

/** A client may name any host in its request line; only the path counts. Undefined: there is none. */
function targetOf({ url = '/' }: IncomingMessage, origin: string): URL | undefined {
  if (!URL.canParse(url, origin)) return undefined;
  const target = new URL(origin);
  const { pathname, search } = new URL(url, origin);
  target.pathname = pathname;
  target.search = search;
  return target;
}

/** Through the page that is open, or is opened again for this. */
async function forward(
  target: URL,
  { keeper, compatibility, prefix }: { keeper: PageKeeper; compatibility: CompatibilityName; prefix: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { origin, pathname } = target;
  const served = servedPath(pathname, prefix);
  const url = served === undefined ? matchBase(target, { origin, prefix, intercept: [] }) : origin + served;
  const open = await keeper.page().catch(() => undefined);
  if (!open) return sendUnavailable(response, { url: url ?? target.href, compatibility, prefix });
  if (url === undefined) sendUnknownPath(response, pathname, prefix);
  else await open.forward(url, request, response);
}

/** Why a port cannot be had. */
const REFUSALS: Record<string, string> = {
  EADDRINUSE: 'is taken.',
  EACCES: 'is reserved for programs with more rights.',
};

/** Returns the origin. */
async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const what = REFUSALS[error.code ?? ''];
      const hint = 'Choose another with `--port` (`port`), or 0 for any that is free.';
      reject(what === undefined ? error : new Error(`Port ${port} ${what} ${hint}`, { cause: error }));
    });
    server.listen(port, '127.0.0.1', resolve);
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

/**
 * Whether a foreign web page asks. It must not get to the models: neither by a name of its own that points here,
 * nor by one of those requests that browsers send to any address.
 */
function isForeign({ host = '', origin, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  const isLocal = /^(localhost|127\.0\.0\.1)(:\d+)?$/.test(host);
  const isOwn = origin === undefined || origin === `http://${host}`;
  return !isLocal || !isOwn || site === 'cross-site' || site === 'same-site';
}

/** How long clients may take, in milliseconds. */
export interface ServerPatience {
  /** For a request's head. */
  head: number;
  /** For a whole request. */
  request: number;
  /** Between two looks at all connections. */
  look: number;
}

/** Clients are on this machine: even a recording of 40 MB arrives quickly. */
const PATIENCE: ServerPatience = { head: 10_000, request: 60_000, look: 2_000 };

/** Each may hold a body of its own in memory. */
const MAX_CONNECTIONS = 256;

/**
 * A client that takes longer gets 408 and loses its connection, one that names two hosts 400. Answers may take as long as
 * they want.
 */
export function createLimitedServer(listener: RequestListener, patience: ServerPatience = PATIENCE): Server {
  const { head: headersTimeout, request: requestTimeout, look: connectionsCheckingInterval } = patience;
  const server = createServer({ headersTimeout, requestTimeout, connectionsCheckingInterval }, (request, response) => {
    // RFC 9112, 3.2: such a request is refused, because two readers of it may each believe another host.
    const hosts = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
    if (hosts.length === 1 || request.httpVersion === '1.0') listener(request, response);
    else response.writeHead(400).end('Bad Request');
  });
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}
