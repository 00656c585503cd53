/** `inference.fetch` of a page with routes: redirects are the browser's work in plain fetch, and ours here. @module */
import { matchRoute } from '../../relay/match-route.js';
import { type PageRoutes, runRoute } from './run-route.js';

/** Redirects that `fetch` follows. */
const MAX_REDIRECTS = 20;

const REDIRECTS = [301, 302, 303, 307, 308];

/** A request, and what its body is read from where requests have no such bodies. */
export type ToRequest = (
  input: RequestInfo | URL,
  init: RequestInit | undefined,
) => { request: Request; source?: Request | Response };

/** Asks the routes first, and `otherwise` for everything else. @param origin of the page */
export function createRouteFetch(
  routes: PageRoutes,
  { origin, otherwise, toRequest }: { origin: string; otherwise: typeof fetch; toRequest: ToRequest },
): typeof fetch {
  const keys = Object.keys(routes.handlers);
  return async (input, init) => {
    if (!matchRoute(keys, addressOf(input, init), origin)) return otherwise(input, init);
    let request = await wholeRequest(toRequest(input, init));
    for (let redirects = 0; ; redirects++) {
      const match = matchRoute(keys, request, origin);
      const mayRepeat = match && request.redirect === 'follow' && !/^(GET|HEAD)$/.test(request.method);
      const spare = mayRepeat ? request.clone() : request;
      const response = match ? await runRoute(routes, request, match) : await otherwise(request);
      if (response.type === 'error') throw failed();
      const location = match && REDIRECTS.includes(response.status) ? response.headers.get('location') : null;
      if (location === null) return shown(response, request.url, redirects > 0 || response.redirected);
      void response.body?.cancel().catch(() => {});
      if (request.redirect === 'manual') return opaqueRedirect(request.url);
      if (request.redirect === 'error' || redirects === MAX_REDIRECTS) throw failed();
      request = await redirected(spare, response.status, new URL(location, request.url));
    }
  };
}

/** What decides of a request's route. A Request that is made of another one takes its body away. */
export function addressOf(input: RequestInfo | URL, init: RequestInit | undefined): Pick<Request, 'method' | 'url'> {
  const given = input instanceof Request ? input : undefined;
  const method = init?.method ?? given?.method ?? 'GET';
  return {
    url: given?.url ?? new URL(input as string | URL, globalThis.document?.baseURI).href,
    method: method.toLowerCase() === 'patch' ? method : method.toUpperCase(),
  };
}

function failed(): TypeError {
  return new TypeError('Failed to fetch');
}

/** The request with its body in it: it may be passed on, and cloned. */
async function wholeRequest({ request, source }: ReturnType<ToRequest>): Promise<Request> {
  if (!source?.body) return request;
  if (sendsStreams()) return new Request(request, { body: source.body, duplex: 'half' } as RequestInit);
  const body = await source.arrayBuffer();
  return new Request(request, { method: request.method, body });
}

/** Whether requests of this browser take streams as bodies: the others ask for no `duplex`, or take a text of it. */
function sendsStreams(): boolean {
  let isAsked = false;
  const probe = {
    method: 'POST',
    body: new ReadableStream(),
    get duplex() {
      isAsked = true;
      return 'half';
    },
  };
  return !new Request('https://probe.invalid', probe).headers.has('content-type') && isAsked;
}

/** The next request of a redirect, by the rules of `fetch`. */
async function redirected(request: Request, status: number, target: URL): Promise<Request> {
  if (!/^https?:$/.test(target.protocol)) throw failed();
  const { method, signal, redirect, credentials, cache } = request;
  const headers = new Headers(request.headers);
  const isGet = /^(GET|HEAD)$/.test(method);
  const becomesGet = (status === 303 && !isGet) || (status < 303 && method === 'POST');
  for (const name of becomesGet ? request.headers.keys() : []) if (name.startsWith('content-')) headers.delete(name);
  const body = becomesGet || isGet ? null : await request.arrayBuffer();
  return new Request(target, {
    method: becomesGet ? 'GET' : method,
    headers,
    body,
    signal,
    redirect,
    credentials,
    cache,
  });
}

/** As `fetch` shows it; a constructed response has no address. */
function shown(response: Response, url: string, redirected: boolean): Response {
  return Object.defineProperties(response, { url: { value: response.url || url }, redirected: { value: redirected } });
}

/** What `redirect: 'manual'` gets: nothing of the response may be seen. */
function opaqueRedirect(url: string): Response {
  const seen = { type: 'opaqueredirect', status: 0, ok: false, url };
  return Object.defineProperties(
    new Response(null),
    Object.fromEntries(Object.entries(seen).map(([name, value]) => [name, { value }])),
  );
}
