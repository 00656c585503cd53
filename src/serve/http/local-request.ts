/** Which requests a server on the loopback interface answers. @module */
import type { IncomingMessage } from 'node:http';

/**
 * Loopback hosts as they are written in URLs and `host` headers. RFC 6761, 6.3: every name below `localhost` is this machine, and
 * resolvers ask no one else for it.
 */
const LOOPBACK = /^((?:[a-z\d_](?:[a-z\d_-]*[a-z\d_])?\.)*localhost\.?|127\.0\.0\.1|\[::1\])(:\d{0,5})?$/i;

/** Whether a `host` header names this machine. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Whether a page's `origin` is one of this machine. */
export function isLoopbackOrigin(origin: string): boolean {
  const [, host = ''] = /^https?:\/\/(.+)$/i.exec(origin) ?? [];
  return isLoopbackHost(host);
}

/**
 * The address that a request line names. A client may name any host in it; only the path counts.
 * @param origin of the server
 * @returns undefined where there is none
 */
export function resolveTarget({ url = '/' }: IncomingMessage, origin: string): URL | undefined {
  // `//host/path` would be read as another host.
  const path = url.startsWith('/') ? `${origin}${url}` : url;
  if (!URL.canParse(path, origin)) return undefined;
  const { pathname, search } = new URL(path, origin);
  const target = new URL(origin);
  target.pathname = pathname;
  target.search = search;
  return target;
}
