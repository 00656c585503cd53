/** Which requests the app's own routes answer. The Service Worker decides by the same keys as the page. @module */

/** A key that fits, and what the URL has for its names, encoded; `$`: the rest. */
export interface RouteMatch {
  key: string;
  groups: Readonly<Record<string, string>> | undefined;
}

/** The first key that fits; undefined: none does. @param origin of the page, which keys without a base address mean */
export function matchRoute(
  keys: readonly string[],
  { method, url }: Pick<Request, 'method' | 'url'>,
  origin: string,
): RouteMatch | undefined {
  const address = addressOf(url);
  for (const key of keys) {
    const [, methods = 'GET|POST|PUT|PATCH|DELETE|OPTIONS', base = origin, path] =
      /^(?:(\w+) )?(\w+:\/\/[^/]+)?(.*)/.exec(key)!;
    // Of the characters that mean something in patterns, URLs leave these unencoded.
    const pattern = new URL(base + path).href
      .replace(/[.+()|[\]^$]/g, '\\$&')
      .replace(/\/:(\w+)/g, '/(?<$1>[^/]+)')
      .replace('*', '(?<$$>.*)');
    const found = new RegExp(`^(${methods.replace('GET', 'GET|HEAD')}) ${pattern}$`).exec(`${method} ${address}`);
    if (found) return { key, groups: found.groups };
  }
}

/** A URL without query and fragment. */
export function addressOf(url: string): string {
  return url.split(/[?#]/)[0]!;
}

/** How the URL of a request ends that no route shall answer: a fragment, which is sent to no server. */
export const PAST_ROUTES = '#inpage:routes';

/** Name of the lock that a page with routes holds. @param client what the Service Worker calls the page */
export function routeLock(client: string): string {
  return `inpage:routes:${client}`;
}
