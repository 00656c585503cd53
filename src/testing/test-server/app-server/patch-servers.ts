/** Notes for which test a server of this process answers a request. @module */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { runningTest, testOf } from './running-test.js';

/** Events that hand a request over. */
const REQUEST_EVENTS: ReadonlySet<unknown> = new Set(['request', 'checkContinue']);

/** Whatever a handler awaits belongs to the test of its request from now on. */
export function patchServers(): void {
  for (const { prototype } of [http.Server, https.Server]) {
    const own = prototype.emit as (this: unknown, ...values: unknown[]) => boolean;
    prototype.emit = function emit(this: unknown, ...values: unknown[]): boolean {
      const [event, request] = values as [unknown, IncomingMessage];
      if (!REQUEST_EVENTS.has(event)) return own.apply(this, values);
      const test = testOf(request.headers.cookie);
      const handOver = (): boolean => runningTest.run(test, () => own.apply(this, values));
      if (!test || test.isKnown) return handOver();
      // The handler's requests are judged at once, so it waits until the test's server was asked. Who left meanwhile needs no answer.
      void test.known.then(() => request.destroyed || handOver());
      return true;
    } as typeof prototype.emit;
  }
}
