/**
 * Every message that crosses a realm, one discriminated union per direction and hop.
 *
 * What streams is a call, and has a MessagePort of its own: the caller opens it with a payload, the callee answers with
 * items until the end. A request to the gateway is a call whose items are the response's head and chunks; a generation
 * in a model worker is a call whose items are token events. What only controls (load, stop, settings) goes through
 * comlink: see `control/`.
 * @module
 */
import type { ResumeCheckpoint } from '../core/events/resume-checkpoint.js';
import type { LoadOptions, ModelInfo } from '../core/models/backend.js';
import type { SerializedInferenceError } from '../core/errors/inference-error.js';
import type { LoadProgress, ModelEntry } from '../core/models/model-entry.js';

/** Raised when a message changes its meaning. A Service Worker script of another version is refused. */
export const PROTOCOL_VERSION = 8;

/** Items that a callee may send before the caller grants more. */
export const CREDIT_WINDOW = 32;

/** Items that a caller takes before it grants as many again: fewer messages, and the callee never waits for long. */
export const CREDIT_STEP = 8;

/** Items that a callee collects while it has no credit; then it stops producing. */
export const BUFFER_LIMIT = 32;

/** Caller to callee, on the call's own port. */
export type CallerMessage<Payload> =
  | { type: 'open'; payload: Payload; lifeline: string | undefined }
  /** The caller has taken so many items. */
  | { type: 'credit'; count: number }
  /** Instead of `open`: this port stays open to the gateway, and the port of a call comes with the message. */
  | { type: 'call' }
  /** Instead of `open`: the port of control calls comes with the message. `lifeline` is the caller's. */
  | { type: 'control'; lifeline: string | undefined }
  | { type: 'cancel' };

/** Callee to caller, on the call's own port. */
export type CalleeMessage<Item> =
  /** Sent when a port reaches a gateway, before `open`. */
  | GatewayHandshake
  /** Sent before anything else by the page that a port is handed to. */
  | TabHandshake
  /** Nothing to say yet, but at work. */
  | { type: 'alive' }
  /** From now on the work is done for this call: before, another callee may be asked instead. */
  | { type: 'begun' }
  | { type: 'items'; items: Item[] }
  /** With the last items, unless they have gone. The port can be used for another call of this caller; `cancel` closes it. */
  | { type: 'end'; items?: Item[] }
  | { type: 'error'; error: SerializedInferenceError };

/** Who answers: the peer's protocol version, and the name of the lock that it holds as long as it lives. */
export interface GatewayHandshake {
  type: 'hello';
  version: number;
  /** Absent where there are no Web Locks. */
  lifeline?: string | undefined;
  /** From a Service Worker: what it calls the page that asked. */
  client?: string | undefined;
}

/** What a page says of itself: its group, and whether the gateway is here, which then says hello on the same port. */
export interface TabHandshake {
  type: 'tab';
  group: string;
  hosts: boolean;
}

/**
 * Of a stream's events, at most so many bytes become one chunk, unless one event is longer. For a reader that takes nothing
 * less than 1 MiB is made ahead then: a callee collects {@link BUFFER_LIMIT} items and has sent {@link CREDIT_WINDOW}, and
 * what a web page asks of an extension passes two of them, the second of which may collect nearly twice as many.
 */
export const MAX_CHUNK_BYTES = 6 * 2 ** 10;

/** A Request as data. */
export interface RequestPayload {
  url: string;
  /** It was meant for an intercepted base of another origin. Undefined: it was not. */
  intercepted?: boolean;
  method: string;
  headers: [string, string][];
  /** `broken`: its sender broke it off. */
  body: ArrayBuffer | 'broken' | undefined;
  /** Instead of `body`: what is still being made. It is moved, so it can be sent once. */
  stream?: [ReadableStream<Uint8Array>] | undefined;
  /** Of all chunks that the client has, when their host is gone and another one is to resume the answer. Undefined: none. */
  checkpoints?: ResumeCheckpoint[] | undefined;
  /** In an extension: the web page's origin that asks, or nothing for the extension itself. Absent: there is no extension. */
  origin?: string | undefined;
  /** Why it is refused, in its endpoint's form. Absent: it is not. */
  refusal?: SerializedInferenceError | undefined;
}

/** First item of the answer to a {@link RequestPayload}; the body's chunks follow. */
export interface ResponseHead {
  /** 0: a network error. */
  status: number;
  /** Absent: none. */
  statusText?: string;
  headers: [string, string][];
  /** The body is passed on piece by piece as it is made; else it comes whole or not at all. */
  streams: boolean;
  /** What a streamed body must end with when its rest is lost; undefined: an error ends it. */
  failureTail: string | undefined;
}

/** What comes together of a response's body. */
export interface ResponseChunk {
  bytes: Uint8Array<ArrayBuffer>;
  /** Undefined: another host cannot resume the answer after this chunk. */
  checkpoint?: ResumeCheckpoint | undefined;
}

/** The answer to a {@link RequestPayload}, piece by piece. */
export type ResponseItem = ResponseHead | ResponseChunk;

/** Gateway to model worker: the payload of one call. The methods are those of `LoadedModel`. */
export interface ModelPayload {
  method: ModelMethod;
  argument: unknown;
}

/** What a loaded model can be asked. */
export type ModelMethod =
  | 'generate'
  | 'countTokens'
  | 'tokenize'
  | 'decide'
  | 'embed'
  | 'measure'
  | 'rerank'
  | 'transcribe'
  | 'speak';

/** What a model worker needs to load its model. */
export interface LoadArgument {
  entry: ModelEntry;
  /** The rest of the engine's LoadOptions. */
  options: PlainLoadOptions;
}

/** What crosses realms of `LoadOptions`. */
export type PlainLoadOptions = Omit<LoadOptions, 'onProgress' | 'signal'>;

/** A worker's first message to the page that made it. */
export interface WorkerReady {
  type: 'ready';
  lifeline: string | undefined;
}

/** What a model worker can be told by control calls, on the worker's own port. */
export interface ModelControl {
  /** Rejects with the backend's InferenceError; a `RetryInNewWorker` where the load can succeed in another worker. */
  load(argument: LoadArgument, onProgress: ProgressListener, signal: AbortSignal): Promise<LoadedFacts>;
  /** Brings the model's files into the store without loading it. Rejects with the backend's InferenceError. */
  fetchFiles(argument: LoadArgument, onProgress: ProgressListener, signal: AbortSignal): Promise<void>;
  /** Rejects when the loaded model can no longer answer while its worker still runs (its GPU is gone), and tells why. */
  lost(): Promise<never>;
  /** Frees what the model can free before its worker ends. */
  unload(): Promise<void>;
}

/** Resolves when the report has arrived. @param progress absent: nothing new, but the worker responds */
export type ProgressListener = (progress?: LoadProgress) => void | Promise<void>;

/** What is known of a model once it is loaded. */
export interface LoadedFacts {
  info: ModelInfo;
  methods: ModelMethod[];
}

/** Gateway to model worker, on the worker's own port: a call, whose port comes with the message. */
export interface ModelCallMessage {
  type: 'call';
}

/** Page to Service Worker. */
export type PageMessage =
  /**
   * Take control of all pages (a hard-reloaded page has no controller), and know the group of this one. Answered on the
   * port with a {@link GatewayHandshake}.
   */
  | { inpage: 'claim'; group: string }
  /** Find the group's host for me. Answered on the port with a {@link BrokerMessage}. */
  | { inpage: 'broker'; group: string }
  /** The app leaves: let all requests go to the network. No port, no answer. */
  | { inpage: 'leave' }
  /** Take the pages from the script that has them. No port, no answer. */
  | { inpage: 'activate' };

/** Service Worker to a page, with the port of a call. `group` undefined: any host of this prefix. */
export interface ConnectMessage {
  inpage: 'connect';
  prefix: string;
  group: string | undefined;
}

/** Service Worker to a page, with the port of a call, answered with a {@link GatewayHandshake}, or a {@link TabHandshake} by one without that route. */
export interface RouteMessage {
  inpage: 'route';
  /** The route's key. */
  key: string;
}

/** Service Worker to the page that asked it to find the host; the port to the gateway comes with it. */
export interface BrokerMessage {
  type: 'connected';
  hello: GatewayHandshake;
}
