/** `connectInference`: the host's `/v1` in every context of an extension. @module */
import { cancelled, InferenceError } from '../core/errors/inference-error.js';
import type { ModelStatus } from '../core/models/model-status.js';
import type { StoredModel } from '../core/models/stored-model.js';
import { moveNoStreams } from '../core/platform/moves-streams.js';
import { createInferenceFetch } from '../page/inference-fetch.js';
import type { Connect } from '../relay/handshake.js';
import { findBridge } from './connect-page.js';
import { readItems, OpenCall } from '../relay/stream/open-call.js';
import { CONTROL_TIMING, type HostCall, type HostCalls, type HostHello } from './host-protocol.js';
import { bodyMaker } from './page-stream.js';
import { hostService, reachHost, reachStartedHost } from './reach-host.js';
import { StatusWatch } from './status-watch.js';
import { isOfExtension, requireExtension, webExtension } from './web-extension.js';

/** Where requests go in every context; resolves nowhere, so that a request past `fetch` reaches no one. */
const ORIGIN = 'https://inpage.invalid';

/** The service, as a web page has it. */
export interface PageConnection {
  /** Base of the service, the same text in all contexts: an SDK's `baseURL`. It exists for {@link fetch} only. */
  readonly baseURL: string;
  /** A fetch for an SDK's `fetch` option; requests outside {@link baseURL} go to the context's own. */
  readonly fetch: typeof fetch;
  /** Ends the connection: later requests are answered with 503. The host and other contexts go on. */
  stop(): void;
}

/** What content scripts have besides. */
export interface ContentScriptConnection extends PageConnection {
  /** Loads a model before its first request. Rejects with an InferenceError. */
  load(model: string): Promise<void>;
  /** The models' state as the host told it last. */
  status(): ModelStatus[];
  /** Calls the listener whenever {@link status} has changed. Returns a function that ends it. */
  subscribe(listener: () => void): () => void;
}

/** What the background and pages of the extension have. */
export interface InferenceConnection extends ContentScriptConnection {
  /** Ends the model's engine and frees its memory; a request that it works on fails with 503. */
  unload(model: string): Promise<void>;
  /** Brings a model's files into the store of this device without loading it. */
  download(model: string, options?: { signal?: AbortSignal }): Promise<void>;
  /** The models of which something is kept on this device. */
  stored(): Promise<StoredModel[]>;
  /** Unloads a model and removes its files from this device. */
  remove(model: string): Promise<void>;
}

/**
 * Connects this context to the document that hosts the engine, which the background opens when it is not there. Resolves
 * when that has started; it need not be called again when the host has gone and come back. A web page is answered by an
 * extension that calls `bridgePage`, once the person has allowed it.
 * @throws InferenceError of `startInferenceHost`; `unavailable`; in web pages `permission_denied`
 * @example
 * const inference = await connectInference();
 * const openai = new OpenAI({ baseURL: inference.baseURL, fetch: inference.fetch, apiKey: 'none' });
 */
export function connectInference(): Promise<InferenceConnection>;
/**
 * The same for code that runs elsewhere than in the background and pages of the extension. The argument says which methods it has there,
 * and nothing else.
 * @throws InferenceError as above
 * @example
 * const inference = await connectInference('content-script');
 */
export function connectInference(context: 'content-script'): Promise<ContentScriptConnection>;
/**
 * @throws InferenceError as above
 * @example
 * const inference = await connectInference('page');
 */
export function connectInference(context: 'page'): Promise<PageConnection>;
export async function connectInference(
  _context?: 'content-script' | 'page',
): Promise<PageConnection | ContentScriptConnection | InferenceConnection> {
  moveNoStreams();
  const stopped = new AbortController();
  const { signal } = stopped;
  if (!webExtension()) return connectPage(stopped);
  const hello = await hostService(signal);
  const watch = new StatusWatch(signal);
  await watch.first;
  const connect: Connect = async (asked) => {
    const gateway = await reachHost('request', AbortSignal.any([asked, signal]));
    watch.wake();
    return gateway;
  };
  const call = async (name: keyof HostCalls, model?: string, asked?: AbortSignal): Promise<unknown> => {
    const stop = asked ? AbortSignal.any([asked, signal]) : signal;
    if (stop.aborted) throw cancelled();
    const payload: HostCall = { method: name, model };
    const { port } = await reachStartedHost('control', stop);
    const answer = new OpenCall(port, payload, { signal: stop, timing: CONTROL_TIMING, lifeline: undefined });
    let result: unknown;
    for await (const item of readItems(answer)) result = item;
    return result;
  };
  /** What has no result, which messages carry as null. */
  const order = async (...what: Parameters<typeof call>): Promise<void> => void (await call(...what));
  const forContentScripts: ContentScriptConnection = {
    ...service(hello, connect, () => !webExtension()),
    load: (model) => order('load', model),
    status: () => watch.models,
    subscribe: (listener) => watch.subscribe(listener),
    stop: () => stopped.abort(),
  };
  if (!isOfExtension(requireExtension(), globalThis.location?.origin)) return forContentScripts;
  return {
    ...forContentScripts,
    unload: (model) => order('unload', model),
    download: (model, options) => order('download', model, options?.signal),
    stored: () => call('stored') as Promise<StoredModel[]>,
    remove: (model) => order('remove', model),
  };
}

/** In a web page: the bridge of an extension answers, when the person allows it. */
async function connectPage(stopped: AbortController): Promise<PageConnection> {
  const bridge = await findBridge();
  let isOrphan = false;
  const connect: Connect = async (asked) => {
    try {
      return await bridge.connect(AbortSignal.any([asked, stopped.signal]));
    } catch (thrown) {
      isOrphan = thrown instanceof InferenceError && thrown.details.permanent === true;
      throw thrown;
    }
  };
  return { ...service(bridge.hello, connect, () => isOrphan), stop: () => stopped.abort() };
}

/** The address of the service, and what fetches from there. */
function service(
  { prefix, compatibility }: HostHello,
  connect: Connect,
  isOrphan: () => boolean,
): Pick<PageConnection, 'baseURL' | 'fetch'> {
  const baseURL = ORIGIN + prefix;
  const settings = {
    origin: ORIGIN,
    prefix,
    intercept: [],
    toBody: bodyMaker(),
    ...(compatibility && { compatibility }),
  };
  const relayed = createInferenceFetch(settings, connect, (...request) => globalThis.fetch(...request));
  return {
    baseURL,
    fetch: async (input, init) => {
      const response = await relayed(input, init);
      // The extension was reloaded: no other attempt can help, as SDKs understand it.
      if (response.status === 503 && response.url.startsWith(baseURL) && isOrphan())
        response.headers.set('x-should-retry', 'false');
      return response;
    },
  };
}
