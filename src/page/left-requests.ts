/** Requests of plain `fetch` that this page left before their answer began: the Service Worker cannot know. @module */
import { matchBase } from '../relay/match-base.js';
import type { LeftRequest } from '../relay/protocol.js';

/**
 * Reports them, without touching `fetch`: a request that ended with no status has a resource timing like all others.
 * Those to intercepted bases hide their status from other origins, so nothing is known of them.
 * @param client this page, as its Service Worker calls it
 */
export function watchLeftRequests(
  { origin, prefix }: { origin: string; prefix: string },
  client: string,
  report: (left: LeftRequest) => void,
): PerformanceObserver {
  const observer = new PerformanceObserver((list) => {
    // Realms share the wall clock; their own clocks start with them.
    const zero = Date.now() - performance.now();
    for (const { name, responseStatus, startTime, responseEnd } of list.getEntries() as PerformanceResourceTiming[]) {
      const url = responseStatus === 0 && matchBase(new URL(name), { origin, prefix, intercept: [] });
      if (url) report({ client, url, started: zero + startTime, ended: zero + responseEnd });
    }
  });
  observer.observe({ type: 'resource' });
  return observer;
}
