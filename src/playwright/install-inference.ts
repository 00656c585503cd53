/** Puts the service in front of an app under test. @module */
import type { BrowserContext, Page, Request, Response } from 'playwright';
import { matchBase } from '../relay/match-base.js';
import { type HostWindow, openHostPage } from '../static-files/host-files.js';
import type { FaultSettings } from '../faults/faults.js';
import type { ModelStatus } from '../models/model-status.js';
import type { PageInference } from '../page/start-inference.js';
import type { InferenceOptions } from '../page/start-options.js';
import { guardHosts } from './guard-hosts.js';
import { routePackage } from './route-package.js';

/** Those of `startInference`, and where the app is. */
export interface InstallOptions extends Omit<InferenceOptions, 'onProgress' | 'serviceWorker'> {
  /**
   * Hosts of inference APIs that may be asked in earnest, e.g. `api.openai.com`. Requests to others that nothing answers
   * are blocked, and fail the test that uses the fixtures; sources of `upstream` models are allowed.
   * @default []
   */
  allowHosts?: readonly string[];
  /** Any URL of the app under test. `https` or `localhost`: only there can a page have a Service Worker. */
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
  /** Loads a model before its first request. @throws Error with the message of `PageInference.load` */
  load(model: string): Promise<void>;
  /** Ends a model's engine and frees its memory. @throws Error when the page is gone */
  unload(model: string): Promise<void>;
  /** The models' state. @throws Error when the page is gone */
  status(): Promise<ModelStatus[]>;
  /** Failures, delays and broken streams on demand. */
  readonly faults: PageInference['faults'];
  /**
   * Ends the service. Pages that are opened (or loaded again) afterwards ask the app's own server; one that stays open
   * gets 503 for what the service answered, because a browser takes no Service Worker away from a page.
   */
  stop(): Promise<void>;
}

/**
 * Starts the service on the app's origin, in a page of its own that stays open in the background. Pages of this context
 * that are opened (or loaded again) afterwards have it; pages of other contexts do not.
 * @throws Error whose message says which option is wrong, or why the page cannot have a Service Worker
 * @example
 * const inference = await installInference(context, { origin: 'http://localhost:5173' });
 */
export async function installInference(context: BrowserContext, options: InstallOptions): Promise<InstalledInference> {
  const { origin: app, allowHosts = [], ...rest } = options;
  const { origin } = new URL(app);
  const blocked: Request[] = [];
  const stopRouting = await routePackage(context, origin);
  const stopGuarding = await guardHosts(context, { hosts: allowHosts, models: rest.models ?? [] }, (request) =>
    blocked.push(request),
  );
  const page = await context.newPage();
  const requests: Request[] = [];
  const bases = { origin, prefix: rest.prefix ?? '/v1', intercept: rest.intercept ?? [] };
  const note = (response: Response): void => {
    const isAnswered = response.fromServiceWorker() && matchBase(new URL(response.url()), bases) !== undefined;
    if (isAnswered) requests.push(response.request());
  };
  const stop = async (): Promise<void> => {
    context.off('response', note);
    await page.evaluate(stopService).catch(() => {});
    await page.close();
    // Playwright changes the routes of all pages, which fails for one that is just closing.
    await Promise.all([stopRouting(), stopGuarding()]);
  };

  try {
    const baseURL = await openHostPage(page, origin, rest);
    context.on('response', note);
    return { baseURL, requests, blocked, stop, ...remoteControl(page) };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

function remoteControl(page: Page): Pick<InstalledInference, 'load' | 'unload' | 'status' | 'faults'> {
  return {
    load: (model) => ask(page, (id) => (window as unknown as HostWindow).inference.load(id), model),
    unload: (model) => ask(page, (id) => (window as unknown as HostWindow).inference.unload(id), model),
    status: () => ask(page, () => (window as unknown as HostWindow).inference.status(), undefined),
    faults: {
      set: (settings: FaultSettings) =>
        ask(page, (faults) => (window as unknown as HostWindow).inference.faults.set(faults), settings),
      clear: () => ask(page, () => (window as unknown as HostWindow).inference.faults.clear(), undefined),
    },
  };
}

/** Asks in the page. What it rejects with has its own message, without what Playwright puts around it. */
async function ask<Argument, Answer>(
  page: Page,
  question: (argument: Argument) => Answer | Promise<Answer>,
  argument: Argument,
): Promise<Answer> {
  try {
    return (await page.evaluate(question as never, argument)) as Answer;
  } catch (thrown) {
    const { message } = thrown as Error;
    throw new Error(message.replace(/^page\.evaluate: (\w*Error: )?/, '').split('\n    at ')[0], { cause: thrown });
  }
}

/** Runs in the page. Without the registration, pages that are loaded from now on ask the app's own server. */
async function stopService(): Promise<void> {
  await (window as Partial<HostWindow>).inference?.stop();
  for (const registration of await navigator.serviceWorker.getRegistrations()) {
    if (registration.active?.scriptURL.includes('/inpage-sw')) await registration.unregister();
  }
}
