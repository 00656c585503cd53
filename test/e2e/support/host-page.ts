/** The service in a real browser: pages that host it, and what tests do to them. */
import type { Browser, BrowserContext, Page, Worker } from 'playwright';
import type { InferenceOptions, ModelEntry, PageInference, diagnose, startInference } from '../../../src/index.js';
import { demoOrigin } from './demo-origin.js';

declare global {
  interface Window {
    inference?: PageInference;
    inferenceError?: string;
    startInference: typeof startInference;
    diagnose: typeof diagnose;
  }
}

/** A chat model that counts: `w0 w1 w2 …`, one token per delay. */
export function countingModel(tokens: number, tokenDelayMs: number, id = 'counting'): ModelEntry {
  const text = Array.from({ length: tokens }, (_, index) => `w${index} `).join('');
  return { id, task: 'chat', backend: 'scripted', script: { replies: [{ text }], tokenDelayMs } };
}

/** A context of its own: its Service Worker, locks and storage are nobody else's. */
export async function newContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({ serviceWorkers: 'allow' });
  // Playwright's 30 s are not enough for a first load of a model on a busy machine.
  context.setDefaultTimeout(100_000);
  return context;
}

/** Opens `/host.html` with these options and waits until inference has started. */
export async function openHost(context: BrowserContext, options: InferenceOptions): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${demoOrigin()}/host.html#${encodeURIComponent(JSON.stringify(options))}`);
  await started(page);
  return page;
}

/** Waits until the page's `startInference` is done; throws its message when it failed. */
export async function started(page: Page): Promise<void> {
  await page.waitForFunction(() => window.inference !== undefined || window.inferenceError !== undefined);
  const error = await page.evaluate(() => window.inferenceError);
  if (error !== undefined) throw new Error(error);
}

/** Registers a Service Worker as an app does whose server requires Trusted Types, and waits until it runs. */
export async function registerInPage(page: Page, script: string, scope?: string): Promise<void> {
  await page.evaluate(
    async ([url, where]) => {
      interface Policy {
        createScriptURL(text: string): string;
      }
      const own = globalThis as unknown as {
        appPolicy?: Policy;
        trustedTypes: { createPolicy(name: string, rules: Policy): Policy };
      };
      own.appPolicy ??= own.trustedTypes.createPolicy('app', { createScriptURL: (text) => text });
      const options = where === undefined ? {} : { scope: where };
      const registration = await navigator.serviceWorker.register(own.appPolicy.createScriptURL(url!), options);
      const worker = registration.installing ?? registration.waiting ?? registration.active!;
      while (worker.state !== 'activated') {
        await new Promise((resolve) => worker.addEventListener('statechange', resolve, { once: true }));
      }
    },
    [script, scope],
  );
}

/** What the demo's server was asked for since the last look, without the log itself. */
export async function takeServerLog(): Promise<string[]> {
  const url = `${demoOrigin()}/__log`;
  const log = (await (await fetch(url)).json()) as string[];
  await fetch(url, { method: 'DELETE' });
  return log;
}

/** Throws when a request of the service reached the server: nothing of `/v1` may ever leave the page. */
export async function requireNothingLeaked(): Promise<void> {
  const leaked = (await takeServerLog()).filter((line) => line.includes('/v1'));
  if (leaked.length > 0) throw new Error(`Reached the network: ${leaked.join(', ')}`);
}

/** The page's workers of one kind; the first one that runs is awaited. */
export async function workersOf(page: Page, script: 'gateway-worker' | 'model-worker'): Promise<Worker[]> {
  const matches = (): Worker[] => page.workers().filter((worker) => worker.url().includes(script));
  for (let attempt = 0; attempt < 100 && matches().length === 0; attempt++) await page.waitForTimeout(50);
  return matches();
}

/** Ends a worker from inside, at once and without a word: what a crash looks like from outside. */
export async function kill(worker: Worker): Promise<void> {
  // The worker may be gone before it can answer the evaluation.
  await Promise.race([worker.evaluate(() => self.close()), new Promise((resolve) => setTimeout(resolve, 500))]).catch(
    () => {},
  );
}

/** A Service Worker waits ten times as long for everything, so that a busy machine is not taken for a gateway that is gone. */
export async function makePatient(worker: Worker): Promise<void> {
  await worker.evaluate(() => {
    const { setTimeout } = globalThis;
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const later = (work: () => void, milliseconds = 0) => setTimeout(work, 10 * milliseconds);
    Object.assign(globalThis, { setTimeout: later });
    AbortSignal.timeout = (milliseconds) => timeout(10 * milliseconds);
  });
}

/** Which door a page's request takes. */
export type Door = 'service-worker' | 'inference.fetch';

/** One chat completion, not streamed. */
export function ask(
  page: Page,
  model: string,
  door: Door = 'service-worker',
): Promise<{ status: number; text: string }> {
  return page.evaluate(
    async ([id, by]) => {
      const send = by === 'inference.fetch' ? window.inference?.fetch : fetch;
      const response = await send?.(`${window.inference?.baseURL}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: id, messages: [{ role: 'user', content: 'Hi' }] }),
      });
      return { status: response?.status ?? 0, text: (await response?.text()) ?? '' };
    },
    [model, door] as const,
  );
}

/** What a model is doing: `ready` where nobody waits for it. */
export function stateOf(page: Page, model: string): Promise<string | undefined> {
  return page.evaluate((wanted) => window.inference?.status().find(({ id }) => id === wanted)?.state, model);
}

/** How far a streamed answer has come. */
export interface StreamState {
  /** The text of all deltas. */
  text: string;
  /** What came last that was no delta: `[DONE]`, or an error event's JSON. */
  lastData: string;
  status: number;
  ended: boolean;
  error: string | undefined;
}

/** Starts a streamed chat completion in the page and resolves when its first text is there; it goes on by itself. */
export async function startStream(page: Page, model: string, door: Door = 'service-worker'): Promise<void> {
  await page.evaluate(
    ([id, by]) => {
      const state: StreamState = { text: '', lastData: '', status: 0, ended: false, error: undefined };
      const abort = new AbortController();
      Object.assign(window, { streamState: state, streamAbort: abort });
      const send = by === 'inference.fetch' ? window.inference?.fetch : fetch;
      const run = async (): Promise<void> => {
        const response = await send?.(`${window.inference?.baseURL}/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ model: id, stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
          signal: abort.signal,
        });
        state.status = response?.status ?? 0;
        const reader = response?.body?.pipeThrough(new TextDecoderStream()).getReader();
        let pending = '';
        for (;;) {
          const { done, value } = (await reader?.read()) ?? { done: true };
          if (done) break;
          const events = (pending + value).split('\n\n');
          pending = events.pop() ?? '';
          for (const event of events) {
            const data = event.replace(/^data: /, '');
            const content = /"content":"((?:[^"\\]|\\.)*)"/.exec(data)?.[1];
            if (content === undefined) state.lastData = data;
            else state.text += content;
          }
        }
      };
      run()
        .catch((error: unknown) => (state.error = String(error)))
        .finally(() => (state.ended = true));
    },
    [model, door] as const,
  );
  await page.waitForFunction(() =>
    /w2 |503|unavailable/.test((window as unknown as { streamState: StreamState }).streamState.text),
  );
}

/** The stream's state once it has ended. */
export async function streamEnd(page: Page): Promise<StreamState> {
  await page.waitForFunction(() => (window as unknown as { streamState: StreamState }).streamState.ended);
  return page.evaluate(() => (window as unknown as { streamState: StreamState }).streamState);
}

/** Aborts the stream as its caller. */
export function abortStream(page: Page): Promise<void> {
  return page.evaluate(() => (window as unknown as { streamAbort: AbortController }).streamAbort.abort());
}

/** Stops every Service Worker of the browser, as the browser itself does when it wants the memory. */
export async function stopServiceWorkers(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('ServiceWorker.enable');
  await session.send('ServiceWorker.stopAllWorkers');
  await session.detach();
}
