/** Serves the library's files on the origin of an app that knows nothing of them. @module */
import type { BrowserContext, Route } from 'playwright';
import { HOST_PAGE, hostHtml, listHostFiles } from '../static-files/host-files.js';
import { mediaTypeOf } from '../static-files/static-files.js';

/** Read once: every test asks for it. */
let host: { files: Map<string, string>; html: string } | undefined;

/**
 * Answers the paths of the library in this context. Below `/models/` only files of the bundled models are answered, and
 * all else is left to the app.
 * @param origin of the app, without a slash at the end
 * @returns takes the routes away again
 */
export async function routePackage(context: BrowserContext, origin: string): Promise<() => Promise<void>> {
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
