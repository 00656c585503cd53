/**
 * One streamed chat request through the whole service, in one process: relay, gateway, HTTP, scheduler, a model behind a
 * real port, its decoding, and back. What `count-path.mjs` counts the functions of.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createApp } from '../../../src/service/http/app.js';
import { loadRemoteModel } from '../../../src/service/remote-model.js';
import { Scheduler } from '../../../src/service/scheduler/scheduler.js';
import { type RequestFacts, serveCall } from '../../../src/service/serve-call.js';
import { Catalog } from '../../../src/core/models/catalog.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import type { Backend } from '../../../src/core/models/backend.js';
import { scriptedBackend } from '../../../src/engines/scripted/scripted-backend.js';
import { serveModel } from '../../../src/engines/worker/serve-model.js';
import { lendPort } from '../../../src/relay/free-ports.js';
import { type Connect, connectThrough, type GatewayPort } from '../../../src/relay/handshake.js';
import { MODEL_TIMING } from '../../../src/relay/stream/call-timing.js';
import { relayRequest } from '../../../src/relay/stream/relay-request.js';
import { toRequestPayload } from '../../../src/relay/stream/request-payload.js';
import { TINY_ENTRY, tinyModel } from '../../engines/gguf/support/tiny-model.js';

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

/**
 * The bundled chat model on ONNX Runtime, as a model worker loads it.
 * @param root of this repository
 */
export function onnxModel(root: string): PathModel {
  const entry: ModelEntry = {
    id: 'tiny-chat',
    task: 'chat',
    backend: 'transformers',
    device: 'wasm',
    dtype: 'q8',
    source: '/models/tiny-chat',
  };
  globalThis.fetch = async (url, { method = 'GET' } = {}) => {
    const { pathname } = new URL(url instanceof Request ? url.url : url);
    const path = join(root, 'public', pathname);
    if (!existsSync(path)) return new Response(null, { status: 404 });
    const bytes = readFileSync(path);
    return new Response(method === 'HEAD' ? null : bytes, { headers: { 'content-length': String(bytes.length) } });
  };
  const assetsURL = pathToFileURL(join(root, 'node_modules/onnxruntime-web/dist/')).href;
  const backend: Backend = {
    load: async (asked, options) => {
      // The web build looks once where it is, and then passes for what a page has.
      Object.defineProperty(process.release, 'name', { value: 'browser' });
      const { loadTextModel } = await import('../../../src/engines/transformers/text/load-text-model.js');
      return loadTextModel(asked, { ...options, assetsURL });
    },
  };
  return { entry, backend };
}

/** @param fields more fields of the request, such as those that decide how tokens are chosen */
export function openPath({ entry: model, backend }: PathModel, fields: Record<string, unknown> = {}): Ask {
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
  // As a page has them.
  const owner = { free: [] as GatewayPort[], closed: new AbortController() };
  const connect: Connect = async (stop) =>
    owner.free.pop() ?? lendPort(await connectThrough((port) => void serveCall(port, handlers), stop), owner);
  return async (tokens) => {
    const { signal } = new AbortController();
    const body = {
      model: model.id,
      messages: [{ role: 'user', content: 'Hello' }],
      max_tokens: tokens,
      stream: true,
      ...fields,
    };
    const request = new Request('http://localhost/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const payload = await toRequestPayload(request);
    const response = await relayRequest(payload, connect, { signal, compatibility: 'service', prefix: '/v1' });
    return response.text();
  };
}
