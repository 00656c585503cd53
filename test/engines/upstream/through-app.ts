/** An upstream model whose remote service is this library: another app over scripted models, reached by `fetch`. */
import { onTestFinished, vi } from 'vitest';
import type { LoadedModel } from '../../../src/core/models/backend.js';
import { upstreamBackend } from '../../../src/engines/upstream/upstream-backend.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';

export const REMOTE = 'https://remote.test/v1';

/** The part of an app that a remote service is. */
export interface Remote {
  fetch(request: Request): Response | Promise<Response>;
}

/** Answers every `fetch` by the remote service until the test is over; all requests are kept. */
export function serveRemotely(remote: Remote): Request[] {
  onTestFinished(() => void vi.unstubAllGlobals());
  return stubFetch(remote);
}

/** The same until `vi.unstubAllGlobals()`. */
export function stubFetch(remote: Remote): Request[] {
  const requests: Request[] = [];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const request = new Request(url, init);
    request.signal.throwIfAborted();
    requests.push(request.clone());
    return remote.fetch(request);
  });
  return requests;
}

/** Every `fetch` gets this answer until the test is over. */
export function answerRemotely(answer: () => Response | Promise<Response>): Request[] {
  return serveRemotely({ fetch: answer });
}

/** An upstream model as the worker would load it. */
export function loadUpstream(entry: Partial<ModelEntry> = {}): Promise<LoadedModel> {
  const full: ModelEntry = { id: 'far', task: 'chat', backend: 'upstream', source: REMOTE, ...entry };
  return upstreamBackend.load(full, {
    onProgress: () => {},
    signal: new AbortController().signal,
    assetsURL: 'https://app.test/inpage/',
    pageURL: 'https://app.test/',
  });
}

/** An event stream of these chunks and `[DONE]`. */
export function streamOf(...chunks: unknown[]): Response {
  const events = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'];
  return new Response(events.map((data) => `data: ${data}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  });
}
