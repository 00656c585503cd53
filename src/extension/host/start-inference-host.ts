/** `startInferenceHost`: the engine of an extension, in a document of its own. @module */
import { InferenceError, serializeInferenceError, toInferenceError } from '../../core/errors/inference-error.js';
import type { InferenceOptions } from '../../core/models/inference-options.js';
import type { PageInference } from '../../core/models/page-inference.js';
import { createInferenceFetch } from '../../page/inference-fetch.js';
import { type StartedService, startService } from '../../page/start-inference.js';
import { PROTOCOL_VERSION } from '../../relay/protocol.js';
import { REQUEST_TIMING } from '../../relay/stream/call-timing.js';
import { HOST_PORTS, type HostHello } from '../host-protocol.js';
import { isOfExtension, originOf, requireExtension, type RuntimePort, type WebExtension } from '../web-extension.js';
import { WirePort } from '../wire-port.js';
import { serveControl } from './serve-control.js';
import { PageRequests } from './serve-page.js';
import { serveRequest } from './serve-request.js';

/** Options of `startInference`; a host answers contexts of the extension instead of plain requests. */
export type HostInferenceOptions = Omit<InferenceOptions, 'serviceWorker' | 'routes'>;

/**
 * Starts inference in the document that `keepInferenceHost` opens, and answers whoever calls `connectInference`. To be called
 * by a script of the document itself, before anything is awaited.
 * @throws InferenceError like `startInference`; every `connectInference` then rejects with the same
 * @example
 * await startInferenceHost({ models: [{ id: 'tiny-chat', task: 'chat', backend: 'gguf', source: 'models/tiny-chat' }] });
 */
export async function startInferenceHost(options: HostInferenceOptions = {}): Promise<PageInference> {
  const api = requireExtension();
  const started = start(options);
  // Before anything is awaited: whoever had this document opened connects at once.
  api.runtime.onConnect.addListener((port) => serve(api, port, started));
  return (await started).inference;
}

async function start(options: HostInferenceOptions): Promise<StartedService> {
  if ('routes' in options) {
    const message =
      'Invalid value for `routes`: a host of an extension has none; contexts send requests to their own servers.';
    throw new InferenceError('invalid_request', message, { param: 'routes' });
  }
  const service = await startService({ ...options, serviceWorker: false });
  const { settings, connect, inference } = service;
  // As of every part of the extension: no web page reuses what this document has sent.
  const own = { ...settings, origin: location.origin, asker: '' };
  const fetch = createInferenceFetch(own, connect, (...request) => globalThis.fetch(...request));
  return { ...service, inference: { ...inference, fetch } };
}

const pages = new PageRequests();

/** Answers what comes through one connection. */
function serve(api: WebExtension, runtimePort: RuntimePort, started: Promise<StartedService>): void {
  const kind = (Object.keys(HOST_PORTS) as (keyof typeof HOST_PORTS)[]).find(
    (key) => HOST_PORTS[key] === runtimePort.name,
  );
  if (!kind) return;
  const port = new WirePort(runtimePort);
  // Starting takes a while, and a background worker that hears nothing is ended.
  port.postMessage({ type: 'alive' });
  const beat = setInterval(() => port.postMessage({ type: 'alive' }), REQUEST_TIMING.beat);
  const ended = started.then(
    ({ inference, connect, settings: { prefix, compatibility } }) => {
      const hello: HostHello = {
        type: 'hello',
        version: PROTOCOL_VERSION,
        prefix,
        compatibility: compatibility ?? null,
      };
      const isOwn = isOfExtension(api, originOf(runtimePort.sender));
      if (kind === 'request') return serveRequest(port, connect, hello);
      port.postMessage(hello);
      if (kind === 'page') return pages.serve(port, originOf(runtimePort.sender), connect);
      return serveControl(port, kind, { inference, isOwn });
    },
    (thrown: unknown) => port.postMessage({ type: 'error', error: serializeInferenceError(toInferenceError(thrown)) }),
  );
  void ended.finally(() => clearInterval(beat));
}
