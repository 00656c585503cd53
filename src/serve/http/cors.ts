/** What pages of other origins may read of a server's answers. @module */
import type { IncomingMessage } from 'node:http';

/** @param names of the answer's headers, which the page may read */
export function corsHeaders(origin: string, names: readonly string[]): Record<string, string> {
  return {
    'access-control-allow-origin': origin,
    ...(names.length > 0 && { 'access-control-expose-headers': names.join(', ') }),
    vary: 'Origin',
  };
}

/** Of the answer to a preflight. */
export function preflightHeaders({ headers }: IncomingMessage, origin: string): Record<string, string> {
  return {
    ...corsHeaders(origin, []),
    'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '*',
    ...(headers['access-control-request-private-network'] === 'true' && {
      'access-control-allow-private-network': 'true',
    }),
    'access-control-max-age': '600',
  };
}

/** An origin as browsers send it, of any scheme; undefined: the text is none, or stands for all pages or for those without one. */
export function originOf(text: string): string | undefined {
  const [, scheme = '', host = ''] = /^([a-z][a-z\d+.-]*):\/\/([^\s/?#@*\\]+)$/i.exec(text) ?? [];
  if (host === '') return undefined;
  // Browsers leave out the usual ports, and write names in small letters.
  return /^https?$/i.test(scheme) ? (URL.canParse(text) ? new URL(text).origin : undefined) : text;
}
