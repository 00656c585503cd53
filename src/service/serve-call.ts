/** The gateway's end of the relay: answers the one request that comes through a port. @module */
import { ResumeState, mergedCheckpoint } from './answer/resume-state.js';
import { answerCall } from '../relay/stream/answer-call.js';
import { REQUEST_TIMING, type CallTiming } from '../relay/stream/call-timing.js';
import { ownLivenessLock } from '../relay/liveness-lock.js';
import {
  PROTOCOL_VERSION,
  type CalleeMessage,
  type CallerMessage,
  MAX_CHUNK_BYTES,
  type RequestPayload,
  type ResponseChunk,
  type ResponseItem,
} from '../relay/protocol.js';
import { RelayedRequest } from '../relay/stream/relayed-request.js';
import { toResponseHead } from '../relay/stream/request-payload.js';
import { StreamedResponse } from '../relay/stream/streamed-response.js';

/** What a request's handler is told besides the request. */
export interface RequestFacts {
  /** It was meant for a base of another origin. */
  intercepted: boolean;
  /** What an answer in pieces notes of itself, so that another gateway can go on with it. */
  resumeState: ResumeState;
  /** See {@link RequestPayload}. */
  origin: RequestPayload['origin'];
  refusal: RequestPayload['refusal'];
}

/** Answers HTTP requests, as the Hono app's `fetch` does; calls `begin` when a model works on it. */
export type RequestHandler = (request: Request, begin: () => void, facts: RequestFacts) => Promise<Response> | Response;

/** Takes a port of control calls, and the lifeline of the tab that makes them. */
export type ControlHandler = (port: MessagePort, lifeline: string | undefined) => void;

/** Says hello on the port and answers the calls that come through it. Never rejects. */
export async function serveCall(
  port: MessagePort,
  handlers: { request: RequestHandler; control: ControlHandler },
  timing: CallTiming = REQUEST_TIMING,
): Promise<void> {
  const answered = answerCall<RequestPayload, ResponseItem>(
    port,
    (payload, signal, begin) => respond(handlers.request, payload, signal, begin),
    timing,
    { join: joined },
  );
  port.addEventListener('message', ({ data, ports: [other] }: MessageEvent<CallerMessage<RequestPayload>>) => {
    if (data.type === 'call' && other) void serveCall(other, handlers, timing);
    if (data.type === 'control' && other) handlers.control(other, data.lifeline);
  });
  const hello: CalleeMessage<never> = { type: 'hello', version: PROTOCOL_VERSION, lifeline: await ownLivenessLock() };
  port.postMessage(hello);
  await answered;
}

async function* respond(
  handle: RequestHandler,
  payload: RequestPayload,
  signal: AbortSignal,
  begin: () => void,
): AsyncGenerator<ResponseItem[], ResponseItem[]> {
  const resumeState = new ResumeState(payload.checkpoints);
  const { origin, refusal } = payload;
  const facts = { intercepted: payload.intercepted === true, resumeState, origin, refusal };
  const response = await handle(RelayedRequest.of(payload, signal), begin, facts);
  const head = toResponseHead(response);
  const reader = response instanceof StreamedResponse ? response.chunks.getReader() : response.body?.getReader();
  const cancel = (): void => void reader?.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  try {
    if (signal.aborted) cancel();
    // The caller may leave here too, and a body that is neither read nor canceled would hold the engine forever.
    let items: ResponseItem[] = [head];
    for (;;) {
      if (head.streams) {
        yield items;
        items = [];
      }
      const { value } = (await reader?.read()) ?? {};
      if (!value) return items;
      items.push(value instanceof Uint8Array ? { bytes: alone(value) } : { ...value, bytes: alone(value.bytes) });
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}

/** Cloning a view clones the whole buffer behind it. */
function alone(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}

/** Chunks that go together as one, up to {@link MAX_CHUNK_BYTES}: every chunk of a body that crosses realms has its price. */
function joined(items: ResponseItem[]): ResponseItem[] {
  const all: ResponseItem[] = [];
  let group: ResponseChunk[] = [];
  let length = 0;
  const close = (): void => {
    if (group.length > 0) all.push(asOne(group, length));
    group = [];
    length = 0;
  };
  for (const item of items) {
    if (!('bytes' in item)) {
      all.push(item);
      continue;
    }
    if (length + item.bytes.length > MAX_CHUNK_BYTES) close();
    group.push(item);
    length += item.bytes.length;
  }
  close();
  return all;
}

function asOne(chunks: ResponseChunk[], length: number): ResponseChunk {
  const [first] = chunks;
  if (first && chunks.length === 1) return first;
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk.bytes, offset);
    offset += chunk.bytes.length;
  }
  return { bytes, checkpoint: mergedCheckpoint(chunks.map(({ checkpoint }) => checkpoint)) };
}
