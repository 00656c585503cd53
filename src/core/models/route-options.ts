/** The option `routes`: its public types, and its check. @module */
import { isPlainObject } from '../json/is-plain-object.js';
import * as v from 'valibot';
import type { PageInference } from './page-inference.js';
import { recordOf } from '../schema/record-of.js';

/**
 * Answers requests of one route, as on a server: the handlers of Next.js (`POST`), Hono (`app.fetch`), SvelteKit and Remix
 * fit. What it throws is a 500 without the error's text, which the page's `reportError` gets; a thrown `Response` is the
 * response.
 */
export type RouteHandler = (request: Request, context: RouteContext) => Response | Promise<Response>;

/** What a {@link RouteHandler} gets beside the request. */
export interface RouteContext {
  /** Requests to the service, or to the network for all other URLs; never to a route. */
  readonly fetch: typeof fetch;
  /** Decoded segments by their `:name`, and the rest of the path as `*`. */
  readonly params: Readonly<Record<string, string>>;
  /** The request's: aborts when no one waits for the response any more, and after `requestTimeout` seconds without one. */
  readonly signal: AbortSignal;
  /** What `startInference` returned. */
  readonly inference: PageInference;
}

/** Routes that a page may have. */
const MAX_ROUTES = 64;

const MAX_KEY_LENGTH = 200;

const KEY = /^((GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) )?(https?:\/\/[^/?#\s*]+)?\/[^?#\s]*$/;

const NAME = /^:[A-Za-z_]\w*$/;

const KEY_FORM =
  'a method in capitals, one space and a path such as `POST /api/chat/:id`, or a path alone; `*` is its last segment only';

const FORM = 'an object of functions by `POST /path`';

/** @internal Handlers by their keys. */
export const ROUTES: v.GenericSchema<Readonly<Record<string, RouteHandler>>> = v.pipe(
  v.custom<Readonly<Record<string, RouteHandler>>>(isPlainObject, FORM),
  recordOf(
    v.pipe(v.string(), v.check(isRouteKey, KEY_FORM)),
    v.custom<RouteHandler>((value) => typeof value === 'function', 'a function'),
  ),
  v.check((routes) => Object.keys(routes).length <= MAX_ROUTES, `an object of at most ${MAX_ROUTES} routes`),
);

function isRouteKey(key: string): boolean {
  if (key.length > MAX_KEY_LENGTH || !KEY.test(key)) return false;
  const address = key.slice(key.indexOf(' ') + 1);
  if (!address.startsWith('/') && !isURL(address)) return false;
  const segments = address.replace(/^https?:\/\/[^/]+/, '').split('/');
  const names = segments.filter((segment) => segment.startsWith(':'));
  return (
    segments.slice(0, -1).every((segment) => !segment.includes('*')) &&
    /^[^*]*$|^\*$/.test(segments.at(-1)!) &&
    names.every((name) => NAME.test(name)) &&
    new Set(names).size === names.length
  );
}

/** `URL.canParse` is younger than the oldest browsers. */
function isURL(text: string): boolean {
  try {
    return new URL(text).host !== '';
  } catch {
    return false;
  }
}
