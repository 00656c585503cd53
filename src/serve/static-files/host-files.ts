/** What an empty page needs to host the service, for tools that start it in a browser of theirs. @module */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright';
import {
  deserializeInferenceError,
  type InferenceError,
  type SerializedInferenceError,
} from '../../core/errors/inference-error.js';
import type { PageInference } from '../../core/models/page-inference.js';
import type { InferenceOptions } from '../../core/models/inference-options.js';
import { BUNDLED_MODELS, listStaticFiles } from './static-files.js';

/** URL path of the page. Its folder holds the library. */
export const HOST_PAGE = '/inpage/host/index.html';

/** The page: empty, with the library's `startInference` in its `window`. */
export function hostHtml(): string {
  const script = readFileSync(new URL('./host/page.js', import.meta.url), 'utf8');
  return `<!doctype html><title>Inpage</title><script type="module">${script}</script>`;
}

/** What the page's `window` holds. */
export type HostWindow = Window & {
  startInference(options: InferenceOptions): Promise<PageInference>;
  /** Once it was started. */
  inference: PageInference;
};

/**
 * Opens the host page and starts the service on it.
 * @param origin where the page and {@link listHostFiles} are served
 * @returns the service's base
 * @throws InferenceError of `startInference`, or Error of Playwright
 */
export async function openHostPage(page: Page, origin: string, options: InferenceOptions): Promise<string> {
  await page.goto(origin + HOST_PAGE, { waitUntil: 'domcontentloaded' });
  const started = await page.evaluate(startInHostPage, options);
  if ('error' in started) throw deserializeInferenceError(started.error);
  return started.baseURL;
}

/** Runs in the page. Playwright would make a stack of an error's message. */
async function startInHostPage(
  options: InferenceOptions,
): Promise<{ baseURL: string } | { error: SerializedInferenceError }> {
  const host = window as unknown as HostWindow;
  try {
    host.inference = await host.startInference(options);
    return { baseURL: host.inference.baseURL };
  } catch (thrown) {
    const { code, message, details } = thrown as Partial<InferenceError>;
    if (code === undefined || message === undefined) throw thrown;
    return { error: { code, message, ...details } };
  }
}

/** Asks in the page. What it rejects with has its own message, without what Playwright puts around it. */
export async function askPage<Argument, Answer>(
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

/** URL path to absolute path: the library, its static files and the bundled models. The page itself is not a file. */
export function listHostFiles(): Map<string, string> {
  const files = new Map<string, string>();
  for (const [url, { path }] of listStaticFiles({ models: BUNDLED_MODELS, webgpu: true })) files.set(url, path);
  const folder = fileURLToPath(new URL('./', import.meta.url));
  const add = (file: string, name: string): void => {
    // Scripts, and the kernels of the GGUF engine.
    if (/\.(js|wasm)$/.test(file)) files.set(`/inpage/host/${name.replaceAll('\\', '/')}`, folder + file);
  };
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const file of all) add(file, file);
  // The page's own build of the gateway stands where the page looks for it.
  for (const file of readdirSync(join(folder, 'host'))) add(join('host', file), file);
  return files;
}
