/** Pages that host the service in a browser that is driven from outside, and what tests ask them. @module */
import type { InferenceOptions, PageInference } from '../../src/index.js';
import { demoOrigin } from '../e2e/support/demo-origin.js';
import { retry, type WebDriver } from './web-driver.js';

declare global {
  interface Window {
    inference?: PageInference;
    inferenceError?: string;
    /** What {@link startStream} has read so far. */
    startedStream?: { text: string; ended: boolean };
  }
}

/** The ways by which a page asks. */
export const DOORS = ['service-worker', 'inference.fetch'] as const;
export type Door = (typeof DOORS)[number];

/** Opens the page without an interface and waits until the service has started. */
export async function openHost(
  driver: WebDriver,
  origin = demoOrigin(),
  options: InferenceOptions = {},
): Promise<void> {
  const id = String(Math.random());
  await driver.navigateTo(`${origin}/host.html?${id}#${encodeURIComponent(JSON.stringify(options))}`);
  const started = () =>
    driver.execute(async (page) => {
      if (location.search !== `?${page}`) throw new Error('The page before is still there.');
      while (!window.inference && !window.inferenceError) await new Promise((resolve) => setTimeout(resolve, 50));
      if (!window.inference) throw new Error(window.inferenceError);
    }, id);
  // Firefox may call a page loaded while the one before is still there.
  await retry(started);
}

/** Runs a whole script in the page, such as a library's: a page's policy may forbid it to do so itself. */
export function evaluate(driver: WebDriver, code: string): Promise<void> {
  const script = async (): Promise<void> => {};
  return driver.execute(Object.assign(script, { toString: () => `async () => {${code}\n}` }), undefined);
}

interface Asked {
  door: Door;
  question: string;
  stream: boolean;
}

/** One chat completion; `pieces` counts the reads that it took. */
export function ask(driver: WebDriver, asked: Asked): Promise<{ status: number; text: string; pieces: number }> {
  return driver.execute(async ({ door, question, stream }) => {
    const send = door === 'inference.fetch' ? window.inference!.fetch : fetch;
    const body = { model: 'tiny-chat', stream, messages: [{ role: 'user', content: question }] };
    const init = { method: 'POST', body: JSON.stringify(body) };
    const response = await send(`${window.inference!.baseURL}/chat/completions`, init);
    const reader = response.body!.getReader();
    const decoder = new TextDecoder();
    let answer = '';
    let pieces = 0;
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      pieces += 1;
      answer += decoder.decode(step.value, { stream: true });
    }
    const contents = [...answer.matchAll(/"content":"([^"]*)"/g)].map(([, content]) => content);
    return { status: response.status, text: contents.join(''), pieces };
  }, asked);
}

/** Starts a streamed answer, which goes on by itself while other windows are driven. */
export function startStream(driver: WebDriver, door: Door, body: object): Promise<void> {
  return driver.execute(
    async ({ way, json }) => {
      const streamed = { text: '', ended: false };
      window.startedStream = streamed;
      const send = way === 'inference.fetch' ? window.inference!.fetch : fetch;
      const response = await send(`${window.inference!.baseURL}/chat/completions`, { method: 'POST', body: json });
      const reader = response.body!.getReader();
      const decoder = new TextDecoder();
      const readAll = async (): Promise<void> => {
        for (let step = await reader.read(); !step.done; step = await reader.read())
          streamed.text += decoder.decode(step.value, { stream: true });
      };
      void readAll()
        .catch((thrown: unknown) => (streamed.text += `"error": ${String(thrown)}`))
        .finally(() => (streamed.ended = true));
    },
    { way: door, json: JSON.stringify({ model: 'tiny-chat', stream: true, ...body }) },
  );
}

/** What has come of the stream so far. */
export function streamedSoFar(driver: WebDriver): Promise<{ text: string; ended: boolean }> {
  return driver.execute(async () => window.startedStream!, undefined);
}
