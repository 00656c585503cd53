/** Requests that reach an app as those of a page do: as plain data, through ports. */
import type { App } from '../../src/service/http/app.js';
import { serveCall } from '../../src/service/serve-call.js';
import { createInferenceFetch } from '../../src/page/inference-fetch.js';
import { connectThrough, type Connect } from '../../src/relay/handshake.js';

/** From now on `app.request` goes through ports. Requests outside the prefix, and those with bindings, go the short way. */
export function askThroughPorts(app: App, prefix: string): void {
  const direct = app.fetch;
  const handlers = {
    request: (request: Request, onBegin: () => void, facts: object) => direct(request, { onBegin, ...facts }),
    control: () => {},
  };
  const connect: Connect = (signal) => connectThrough((port) => void serveCall(port, handlers), signal);
  const fetchInPage = createInferenceFetch(
    { origin: 'http://localhost', prefix, intercept: [] },
    connect,
    async (input, init) => direct(new Request(input, init)),
  );
  app.fetch = (request, bindings) => (bindings ? direct(request, bindings) : fetchInPage(request));
}
