/** What an empty page needs to host the service, for tools that start it in a browser of theirs. @module */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright';
import {
  deserializeInferenceError,
  type InferenceError,
  type SerializedInferenceError,
} from '../errors/inference-error.js';
import type { PageInference } from '../page/start-inference.js';
import type { InferenceOptions } from '../page/start-options.js';
import { BUNDLED_MODELS, listStaticFiles } from './static-files.js';

/** URL path of the page. Its folder holds the library. */
export const HOST_PAGE = '/inpage/host/index.html';

/** The page: empty, with the library's `startInference` in its `window`. */
export const HOST_HTML = `<!doctype html><title>Inpage</title><script type="module">
import { startInference } from './index.js';
Object.assign(window, { startInference });
</script>`;

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
  await page.goto(origin + HOST_PAGE);
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
    const { serialize } = thrown as Partial<InferenceError>;
    if (!serialize) throw thrown;
    return { error: serialize.call(thrown as InferenceError) };
  }
}

/** URL path to absolute path: the library, its static files and the bundled models. The page itself is no file. */
export function listHostFiles(): Map<string, string> {
  const files = new Map<string, string>();
  for (const [url, { path }] of listStaticFiles({ models: BUNDLED_MODELS, webgpu: true })) files.set(url, path);
  const folder = fileURLToPath(new URL('./', import.meta.url));
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.js')) files.set(`/inpage/host/${file.replaceAll('\\', '/')}`, folder + file);
  }
  return files;
}
