/** Tabs of one group in a browser without a driver, and what is done to them. */
import type { InferenceOptions } from '../../src/index.js';
import type { RawChromium, RawPage } from '../support/raw-chromium.js';
import { countingModel, type Door } from '../e2e/support/host-page.js';
import { demoOrigin } from '../e2e/support/demo-origin.js';

/** `quick` answers at once, `long` for some seconds, `slow` for longer than any test waits. */
export const MODELS = {
  models: [countingModel(5, 0, 'quick'), countingModel(150, 25, 'long'), countingModel(2_000, 25, 'slow')],
};

/** What a page saw of one request. */
export interface Seen {
  /** 0: the fetch failed. */
  status: number;
  /** Text of the answer, or the failure's. */
  text: string;
  milliseconds: number;
}

/** How often a scenario is repeated; `npm run test:long` says more often. */
export const ROUNDS = Number(process.env['INPAGE_CHAOS_ROUNDS'] ?? 2);

/** Whether this is the long form, on a machine that has nothing else to do. */
export const IS_LONG = process.env['INPAGE_CHAOS_ROUNDS'] !== undefined;

/** Opens a tab that takes part and waits until it does. */
export async function openTab(browser: RawChromium, options: InferenceOptions = MODELS): Promise<RawPage> {
  const url = `${demoOrigin()}/host.html#${encodeURIComponent(JSON.stringify(options))}`;
  const page = await browser.open(url);
  await isStarted(page);
  return page;
}

/** Waits until the page takes part. */
export async function isStarted(page: RawPage): Promise<void> {
  const error = await page.evaluate<string | null>(`(async () => {
    while (!window.inference && !window.inferenceError) await new Promise((resolve) => setTimeout(resolve, 20));
    return window.inferenceError ?? null;
  })()`);
  if (error !== null) throw new Error(error);
}

/** A page of the origin that has nothing to do with inference. */
export function elsewhere(): string {
  return `${demoOrigin()}/models/tiny-chat/config.json`;
}

/** One chat completion. */
export function ask(page: RawPage, model = 'quick', door: Door = 'service-worker', stream = false): Promise<Seen> {
  const body = { model, stream, messages: [{ role: 'user', content: 'Hi' }] };
  return page.evaluate(`(async () => {
    const started = performance.now();
    const seen = (status, text) => ({ status, text, milliseconds: performance.now() - started });
    const send = ${door === 'service-worker' ? 'fetch' : 'inference.fetch'};
    try {
      const response = await send(inference.baseURL + '/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: ${JSON.stringify(JSON.stringify(body))},
      });
      globalThis.answersBegun = (globalThis.answersBegun ?? 0) + 1;
      return seen(response.status, await response.text());
    } catch (error) {
      return seen(0, String(error));
    }
  })()`);
}

/** How many answers have begun in a page. */
export const answersBegun = (page: RawPage): Promise<number> => page.evaluate('globalThis.answersBegun ?? 0');

/**
 * Puts every worker of this name into a loop that never ends. It sleeps in the loop, since the processor is needed for
 * the others; it hears as little. Nobody stays attached.
 */
export async function stick(page: RawPage, name: 'inpage-gateway' | 'inpage-model'): Promise<void> {
  // It starts when nobody waits for the answer any more.
  const loop = 'for (const cell = new Int32Array(new SharedArrayBuffer(4)); ; ) Atomics.wait(cell, 0, 0, 100)';
  const stuck = await page.evaluateInWorkers(name, `setTimeout(() => { ${loop}; }, 200)`);
  if (stuck === 0) throw new Error(`No ${name} runs.`);
  await new Promise((resolve) => setTimeout(resolve, 300));
}

/** Blocks the page's own thread for so many milliseconds; its workers go on. */
export async function block(page: RawPage, milliseconds: number): Promise<void> {
  await page.evaluate(
    `void setTimeout(() => { for (const end = performance.now() + ${milliseconds}; performance.now() < end;); }, 0)`,
  );
}
