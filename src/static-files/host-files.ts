/** What an empty page needs to host the service, for tools that start it in a browser of theirs. @module */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
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

/** Runs in the page: starts the service. Returns its base. */
export async function startInHostPage(options: InferenceOptions): Promise<string> {
  const host = window as unknown as HostWindow;
  host.inference = await host.startInference(options);
  return host.inference.baseURL;
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
