/** Serves the library's files on the origin of an app that knows nothing of them. @module */
import { readdirSync } from 'node:fs';
import type { BrowserContext, Route } from 'playwright';
import { fileURLToPath } from 'node:url';
import { BUNDLED_MODELS, listStaticFiles, mediaTypeOf } from '../vite/static-files.js';

/** URL path of an empty page, whose `window.startInference` is the library's. */
export const HOST_PAGE = '/inpage/playwright/host.html';

const HOST_HTML = `<!doctype html><title>Inpage</title><script type="module">
import { startInference } from './index.js';
Object.assign(window, { startInference });
</script>`;

/**
 * Answers the paths of the library in this context. Below `/models/` only files of the bundled models are answered, and
 * all else is left to the app.
 * @param origin of the app, without a slash at the end
 * @returns takes the routes away again
 */
export async function servePackage(context: BrowserContext, origin: string): Promise<() => Promise<void>> {
  const files = listPackageFiles();
  const isOurs = (url: URL): boolean =>
    url.origin === origin && (url.pathname === HOST_PAGE || files.has(url.pathname));
  const answer = async (route: Route): Promise<void> => {
    const path = files.get(new URL(route.request().url()).pathname);
    await (path === undefined
      ? route.fulfill({ contentType: 'text/html', body: HOST_HTML })
      : route.fulfill({ path, contentType: mediaTypeOf(path) }));
  };
  await context.route(isOurs, answer);
  return () => context.unroute(isOurs, answer);
}

/** URL path to absolute path. */
function listPackageFiles(): Map<string, string> {
  const files = new Map<string, string>();
  for (const [url, { path }] of listStaticFiles(BUNDLED_MODELS)) files.set(url, path);
  const folder = fileURLToPath(new URL('./', import.meta.url));
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.js')) files.set(`/inpage/playwright/${file.replaceAll('\\', '/')}`, folder + file);
  }
  return files;
}
