/**
 * One streamed chat request through the whole service, in one process: relay, gateway, HTTP, scheduler, a model behind a
 * real port, its decoding, and back. What `count-path.mjs` counts the functions of.
 */
import { createApp } from '../../../src/gateway/http/app.js';
import { loadRemoteModel } from '../../../src/gateway/remote-model.js';
import { Scheduler } from '../../../src/gateway/scheduler/scheduler.js';
import { type RequestFacts, serveCall } from '../../../src/gateway/serve-call.js';
import { Catalog } from '../../../src/core/models/catalog.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import type { Backend } from '../../../src/core/models/backend.js';
import { scriptedBackend } from '../../../src/model/engines/scripted/scripted-backend.js';
import { serveModel } from '../../../src/model/serve-model.js';
import { connectThrough } from '../../../src/relay/handshake.js';
import { MODEL_TIMING } from '../../../src/relay/stream/call-timing.js';
import { relayRequest } from '../../../src/relay/stream/relay-request.js';
import { toRequestPayload } from '../../../src/relay/stream/request-payload.js';
import { TINY_ENTRY, tinyModel } from '../../model/engines/gguf/support/tiny-model.js';

/** Asks for a streamed answer and reads it to the end. Resolves with its text. */
export type Ask = (tokens: number) => Promise<string>;

interface PathModel {
  entry: ModelEntry;
  backend: Backend;
}

/**
 * A model without an engine.
 * @param tokenDelayMs between two tokens; longer than the pace of messages, and each token travels alone
 */
export function scriptedModel(tokenDelayMs: number): PathModel {
  const entry: ModelEntry = {
    id: 'scripted',
    task: 'chat',
    backend: 'scripted',
    script: { replies: [{ text: 'word ', repeat: 1000 }], tokenDelayMs },
  };
  return { entry, backend: scriptedBackend };
}

/** A made GGUF model on its real engine, with the kernels of Node. */
export function ggufModel(): PathModel {
  const backend: Backend = { load: () => tinyModel(), fetchFiles: async () => {} };
  return { entry: TINY_ENTRY, backend };
}

/** @param sampling fields of the request that decide how tokens are chosen */
export function openPath({ entry: model, backend }: PathModel, sampling: Record<string, number> = {}): Ask {
  const inference = new Scheduler({
    catalog: new Catalog([model]),
    requestTimeout: 60,
    host: {
      start: (entry, watch) => {
        const { port1, port2 } = new MessageChannel();
        serveModel(port2, async () => backend);
        const options = { assetsURL: 'http://localhost/inpage/', pageURL: 'http://localhost/' };
        const worker = { port: port1, lifeline: undefined, end: () => port2.close() };
        return loadRemoteModel(worker, { entry, options }, { ...watch, timing: MODEL_TIMING });
      },
    },
  });
  const app = createApp({
    inference,
    prefix: '/v1',
    rateLimits: { requestsPerMinute: 10_000, requestsPerDay: 10_000 },
  });
  const handlers = {
    request: (request: Request, begin: () => void, { resumeState: record }: RequestFacts) =>
      app.fetch(request, { onBegin: begin, resumeState: record }),
    control: () => {},
  };
  return async (tokens) => {
    const { signal } = new AbortController();
    const body = {
      model: model.id,
      messages: [{ role: 'user', content: 'Hello' }],
      max_tokens: tokens,
      stream: true,
      ...sampling,
    };
    const request = new Request('http://localhost/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const connect = (stop: AbortSignal) => connectThrough((port) => void serveCall(port, handlers), stop);
    const payload = await toRequestPayload(request);
    const response = await relayRequest(payload, connect, { signal, compatibility: 'service', prefix: '/v1' });
    return response.text();
  };
}
