/** Puts the service in front of an app under test. @module */
import type { BrowserContext, Page, Request, Response, Route } from 'playwright';
import * as v from 'valibot';
import { matchBase } from '../../relay/match-base.js';
import {
  askPage,
  HOST_PAGE,
  hostHtml,
  type HostWindow,
  listHostFiles,
  openHostPage,
} from '../../serve/static-files/host-files.js';
import { mediaTypeOf } from '../../serve/static-files/static-files.js';
import type { FaultSettings } from '../../core/models/fault-settings.js';
import type { ModelEntry, ScriptedEntry } from '../../core/models/model-entry.js';
import type { ModelStatus } from '../../core/models/model-status.js';
import type { PageInference } from '../../core/models/page-inference.js';
import { INFERENCE_OPTIONS, type InferenceOptions } from '../../core/models/inference-options.js';
import { fields, list, optional, parseOptions, type Same, text } from '../../core/models/option-schema.js';
import type { TestServer } from '../test-server/test-server-types.js';
import { Misses, type UnmatchedRequest } from './misses.js';
import { bothFaults, startAppServer } from './app-server.js';
import { guardHosts } from './guard-hosts.js';

/** Those of `startInference`, and where the app is. */
export interface InstallOptions extends Omit<InferenceOptions, 'onProgress' | 'routes' | 'serviceWorker'> {
  /**
   * Hosts of inference APIs that may be asked for real, e.g. `api.openai.com`. Requests to others that nothing answers
   * are blocked, and fail the test that uses the fixtures; sources of `upstream` models are allowed.
   * @default []
   * @example
   * test.use({ inferenceOptions: { allowHosts: ['api.openai.com'] } });
   */
  allowHosts?: readonly string[];
  /**
   * Also starts a test server in the test's process (`inference.server`), with the same models, keys and limits. It answers what the
   * app's own server asks while it answers a page of this test, if that runs with `node --import inpage/test-server/register`.
   * @default false
   * @example
   * test.use({ inferenceOptions: { server: true } });
   */
  server?: boolean;
  /**
   * Any URL of the app under test. `https` or `localhost`: only there can a page have a Service Worker.
   * @example
   * installInference(context, { origin: 'http://localhost:5173' });
   */
  origin: string;
}

/** The service in a test: what a page's `inference` has, seen from outside, and the requests that it answered. */
export interface InstalledInference {
  /** Absolute base of the service on the app's origin. */
  readonly baseURL: string;
  /**
   * What the app's pages asked and the service answered, oldest first. `page.route` does not see these requests, because
   * a Service Worker answers them; `page.waitForResponse` does.
   */
  readonly requests: readonly Request[];
  /**
   * Requests to known inference APIs (api.openai.com, api.anthropic.com and others) that neither the service nor a route
   * of the test answered. They were blocked.
   */
  readonly blocked: readonly Request[];
  /**
   * Requests of the app's pages that no reply of a scripted model fitted. They got a 400 and fail the test that uses the fixtures;
   * `server.unmatched` has those of the app's server. Complete after `stop()`.
   */
  readonly unmatched: readonly UnmatchedRequest[];
  /** Loads a model before its first request. @throws Error with the message of `PageInference.load` */
  load(model: string): Promise<void>;
  /** Ends a model's engine and frees its memory. @throws Error when the page is gone */
  unload(model: string): Promise<void>;
  /** The models' state. @throws Error when the page is gone */
  status(): Promise<ModelStatus[]>;
  /**
   * With the option `record`: a scripted entry for each model that has answered.
   * @throws Error without the option
   */
  recorded(): Promise<ScriptedEntry[]>;
  /** Failures, delays and broken streams on demand, in the page and of `server`. */
  readonly faults: PageInference['faults'];
  /**
   * With the option `server`: what answers the app's own server. Its models are those of `models` that need no page; without
   * `models`, it answers every name by the replies of `server.use`. Undefined without the option.
   */
  readonly server: TestServer | undefined;
  /**
   * Ends the service. Pages that are opened or reloaded afterwards ask the app's own server. A page that stays open gets
   * 503 for what the service answered, because a browser takes no Service Worker away from a page.
   */
  stop(): Promise<void>;
}

const isHttp = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
const INSTALL_OPTIONS = fields(
  {
    ...v.omit(INFERENCE_OPTIONS, ['onProgress', 'routes', 'serviceWorker']).entries,
    allowHosts: optional(list(v.string('a host, e.g. `api.openai.com`'), 'an array of hosts'), []),
    server: optional(v.boolean('true or false'), false),
    origin: text('the URL of the app under test, e.g. `http://localhost:5173`', isHttp),
  },
  'an option of installInference',
);
true satisfies Same<v.InferInput<typeof INSTALL_OPTIONS>, Pick<InstallOptions, keyof InstallOptions>>;

/**
 * Starts the service on the app's origin, in a page of its own that stays open in the background. Pages of this context
 * that are opened (or loaded again) afterwards have it; pages of other contexts do not.
 * @throws Error whose message says which option is wrong, or why the page cannot have a Service Worker
 * @example
 * const inference = await installInference(context, { origin: 'http://localhost:5173' });
 */
export async function installInference(context: BrowserContext, options: InstallOptions): Promise<InstalledInference> {
  const { allowHosts, models, prefix, intercept, ...checked } = parseOptions(INSTALL_OPTIONS, options);
  const { origin } = new URL(checked.origin);
  // The page fills in its own defaults.
  const { origin: _origin, allowHosts: _allowHosts, server: _server, ...ofPage } = options;
  checkBrowser(context);
  const allowed = [...allowHosts, ...hostsOf(models)];
  const app = checked.server
    ? await startAppServer(context, { origin, options, intercept, allowHosts: allowed })
    : undefined;
  const blocked: Request[] = [];
  const [page, stopRouting, stopGuarding] = await Promise.all([
    context.newPage(),
    routePackage(context, origin),
    guardHosts(context, allowed, (request) => blocked.push(request)),
  ]).catch(async (thrown: unknown) => {
    await app?.stop();
    throw thrown;
  });
  const crashed = rejectOnCrash(page);
  const requests: Request[] = [];
  const misses = new Misses();
  const bases = { origin, prefix, intercept };
  const note = (response: Response): void => {
    const isAnswered = response.fromServiceWorker() && matchBase(new URL(response.url()), bases) !== undefined;
    if (!isAnswered) return;
    requests.push(response.request());
    misses.look(response);
  };
  const stop = async (): Promise<void> => {
    context.off('response', note);
    await misses.read();
    const gone = crashed.catch(() => {});
    await Promise.race([page.evaluate(stopService).catch(() => {}), gone]);
    await page.close();
    // Playwright changes the routes of all pages, which fails for one that is just closing.
    // It waits forever for a Service Worker that went with the page.
    await Promise.race([Promise.all([stopRouting(), stopGuarding()]), gone]);
    await app?.stop();
  };

  try {
    const baseURL = await openHostPage(page, origin, ofPage);
    context.on('response', note);
    const control = remoteControl(page, crashed);
    const faults = app ? bothFaults(control.faults, app.server.faults) : control.faults;
    return { baseURL, requests, blocked, unmatched: misses.found, stop, ...control, faults, server: app?.server };
  } catch (thrown) {
    const obstacle = await page.evaluate(serviceWorkerObstacle).catch(() => undefined);
    await stop();
    throw obstacle === undefined ? thrown : obstacleError(obstacle, origin);
  }
}

/** Where `upstream` models ask. */
function hostsOf(models: readonly ModelEntry[]): string[] {
  const sources = models.filter(({ backend }) => backend === 'upstream').map(({ source = '' }) => source);
  return sources.filter((source) => URL.canParse(source)).map((source) => new URL(source).host);
}

/** Only there Playwright routes the scripts of Service Workers. */
function checkBrowser(context: BrowserContext): void {
  const name = context.browser()?.browserType().name() ?? 'chromium';
  if (name === 'chromium') return;
  throw new Error(
    `inpage/playwright works only in Chromium, not in ${name}, because Playwright cannot route Service Worker scripts in other browsers.`,
  );
}

type Obstacle = 'blocked' | 'insecure';

/** Runs in the page. Playwright blocks Service Workers by a function of its own in the place of the browser's. */
function serviceWorkerObstacle(): Obstacle | undefined {
  if (!isSecureContext) return 'insecure';
  const register = Object.getOwnPropertyDescriptor(ServiceWorkerContainer.prototype, 'register');
  return String(register?.value).includes('[native code]') ? undefined : 'blocked';
}

function obstacleError(obstacle: Obstacle, origin: string): Error {
  return new Error(
    obstacle === 'blocked'
      ? "inpage/playwright: Service Workers are blocked in this context. Take `serviceWorkers: 'block'` out of Playwright's `use`, or set it to 'allow' for these tests."
      : `inpage/playwright: pages of ${origin} can have no Service Worker. Serve the app under test on https or on localhost.`,
  );
}

/** Rejects when the page crashes. Playwright leaves whoever asks a crashed page waiting forever. */
function rejectOnCrash(page: Page): Promise<never> {
  const crashed = new Promise<never>((_, reject) => {
    page.once('crash', () => reject(new Error('The page that hosts the service has crashed.')));
  });
  crashed.catch(() => {}); // No one may be asking.
  return crashed;
}

function remoteControl(
  page: Page,
  crashed: Promise<never>,
): Pick<InstalledInference, 'load' | 'unload' | 'status' | 'recorded' | 'faults'> {
  const control = <Argument, Answer>(
    question: (argument: Argument) => Answer | Promise<Answer>,
    argument: Argument,
  ): Promise<Answer> => Promise.race([askPage(page, question, argument), crashed]);
  return {
    load: (model) => control((id) => (window as unknown as HostWindow).inference.load(id), model),
    unload: (model) => control((id) => (window as unknown as HostWindow).inference.unload(id), model),
    status: () => control(() => (window as unknown as HostWindow).inference.status(), undefined),
    recorded: () => control(() => (window as unknown as HostWindow).inference.recorded(), undefined),
    faults: {
      set: (settings: FaultSettings) =>
        control((faults) => (window as unknown as HostWindow).inference.faults.set(faults), settings),
      clear: () => control(() => (window as unknown as HostWindow).inference.faults.clear(), undefined),
    },
  };
}

/** Runs in the page. Without the registration, pages that are loaded from now on ask the app's own server. */
async function stopService(): Promise<void> {
  await (window as Partial<HostWindow>).inference?.stop();
  for (const registration of await navigator.serviceWorker.getRegistrations()) {
    if (registration.active?.scriptURL.includes('/inpage-sw')) await registration.unregister();
  }
}

/** Read once: every test asks for it. */
let host: { files: Map<string, string>; html: string } | undefined;

/**
 * Answers the paths of the library in this context. Below `/models/` only files of the bundled models are answered, and
 * all else is left to the app.
 * @param origin of the app, without a slash at the end
 * @returns takes the routes away again
 */
async function routePackage(context: BrowserContext, origin: string): Promise<() => Promise<void>> {
  const { files, html } = (host ??= { files: listHostFiles(), html: hostHtml() });
  const isOurs = (url: URL): boolean =>
    url.origin === origin && (url.pathname === HOST_PAGE || files.has(url.pathname));
  const answer = async (route: Route): Promise<void> => {
    const path = files.get(new URL(route.request().url()).pathname);
    await (path === undefined
      ? route.fulfill({ contentType: mediaTypeOf(HOST_PAGE), body: html })
      : route.fulfill({ path, contentType: mediaTypeOf(path) }));
  };
  await context.route(isOurs, answer);
  return () => context.unroute(isOurs, answer);
}
