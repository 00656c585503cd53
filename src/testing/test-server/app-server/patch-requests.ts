/** `node:http` and `node:https` as clients: axios, node-fetch, got and older SDKs. @module */
import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { Socket } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import { TOKEN_HEADER } from './app-link.js';
import { judgeUrl, type Verdict } from './judge-url.js';

type OnResponse = (answer: IncomingMessage) => void;
type Arguments =
  | [options: RequestOptions | string | URL, onResponse?: OnResponse]
  | [url: string | URL, options: RequestOptions, onResponse?: OnResponse];
type Ask = (...given: Arguments) => ClientRequest;

const ownRequest = http.request;

/** One connection for each request: none is kept that a closed test server has ended. */
const AGENT = new http.Agent({ keepAlive: false });

/** Puts `request` and `get` in the place of Node's own. */
export function patchRequests(): void {
  for (const [module, protocol] of [
    [http, 'http:'],
    [https, 'https:'],
  ] as const) {
    const own = module.request as Ask;
    const request: Ask = (...given) => {
      const { options, onResponse } = readArguments(given);
      const url = urlOf(options, protocol);
      const verdict: Verdict = url ? judgeUrl(url) : { by: 'network' };
      if (verdict.by === 'network') return own(...given);
      if (verdict.by === 'nobody') return refuse(verdict.error, options, onResponse);
      return askTestServer(verdict, options, onResponse);
    };
    const get: Ask = (...given) => request(...given).end();
    Object.assign(module, { request, get });
  }
}

/** @param verdict where the test server has it */
export function askTestServer(
  { url, token }: { url: URL; token: string },
  { method, headers, auth, signal, timeout }: RequestOptions,
  onResponse?: OnResponse,
): ClientRequest {
  return ownRequest(
    url,
    {
      agent: AGENT,
      headers: { ...headersOf(headers), host: url.host, [TOKEN_HEADER]: token },
      ...(method !== undefined && { method }),
      ...(typeof auth === 'string' && { auth }),
      ...(signal && { signal }),
      ...(timeout !== undefined && { timeout }),
    },
    onResponse,
  );
}

/** A request that fails as one does whose host cannot be reached. */
function refuse(error: Error, { method }: RequestOptions, onResponse?: OnResponse): ClientRequest {
  const options = { createConnection: () => new Socket(), ...(method !== undefined && { method }) };
  return ownRequest(options, onResponse).destroy(error);
}

function readArguments(given: Arguments): { options: RequestOptions; onResponse?: OnResponse } {
  const [first, second, third] = given;
  const onResponse = typeof second === 'function' ? second : third;
  const more = typeof second === 'object' ? second : {};
  const options = typeof first === 'string' || first instanceof URL ? { ...optionsOf(first), ...more } : first;
  return { options, ...(onResponse && { onResponse }) };
}

/** What is no URL is left to Node, which says so. */
function optionsOf(url: string | URL): RequestOptions {
  return URL.canParse(url) ? urlToHttpOptions(new URL(url)) : { socketPath: '' };
}

/** Undefined: none that a base could match. */
function urlOf(options: RequestOptions, usual: string): URL | undefined {
  if (options.socketPath !== undefined && options.socketPath !== null) return undefined;
  const protocol = options.protocol ?? usual;
  const host = options.hostname ?? options.host ?? 'localhost';
  const port = options.port ?? options.defaultPort ?? '';
  const url = `${protocol}//${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}${port === '' ? '' : `:${port}`}`;
  return URL.canParse(options.path ?? '/', url) ? new URL(options.path ?? '/', url) : undefined;
}

/** By name, in lower case: the host is replaced. */
function headersOf(headers: RequestOptions['headers']): http.OutgoingHttpHeaders {
  if (!Array.isArray(headers)) {
    return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  }
  const flat = headers.flat();
  const pairs = Array.from({ length: flat.length / 2 }, (_, index) => [
    flat[2 * index]!.toLowerCase(),
    flat[2 * index + 1],
  ]);
  return Object.fromEntries(pairs) as http.OutgoingHttpHeaders;
}
