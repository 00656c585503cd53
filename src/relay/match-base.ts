/** Which URLs are answered in the page. @module */

/** The bases of one engine. */
export interface Bases {
  /** Origin of the page. */
  origin: string;
  /** Path without a slash at its end, e.g. `/v1`. */
  prefix: string;
  /** Absolute URLs of other bases that are answered here. */
  intercept: readonly string[];
}

/**
 * The URL below the engine's own base that this URL stands for; undefined: not ours. A base matches itself and what
 * lies below it, so `/v1` matches `/v1` and `/v1/models`, but not `/v1x`.
 */
export function matchBase(url: URL, { origin, prefix, intercept }: Bases): string | undefined {
  const address = url.origin + url.pathname;
  for (const base of [origin + prefix, ...intercept]) {
    const start = new URL(base).href.replace(/\/+$/, '');
    const below = address.slice(start.length);
    if (address.startsWith(start) && /^(\/|$)/.test(below)) return origin + prefix + below + url.search;
  }
  return undefined;
}
