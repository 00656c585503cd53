/** The gateway's end of the relay: a port that wants an answer meets the engine. @module */
import { answerCall } from '../relay/stream/answer-call.js';
import { REQUEST_TIMING, type CallTiming } from '../relay/stream/call-timing.js';
import { ownLifeline } from '../relay/lifeline.js';
import {
  PROTOCOL_VERSION,
  type CalleeMessage,
  type CallerMessage,
  type ControlPayload,
  type GatewayPayload,
  type RequestPayload,
  type ResponseItem,
  type Snapshot,
} from '../relay/protocol.js';
import { fromRequestPayload, toResponseHead } from '../relay/stream/request-payload.js';

/** Answers HTTP requests, as the Hono app's `fetch` does; calls `begin` when a model works on it. */
export type RequestHandler = (request: Request, begin: () => void) => Promise<Response> | Response;

/** Answers what pages ask besides HTTP. */
export type ControlHandler = (payload: ControlPayload, signal: AbortSignal) => AsyncIterable<Snapshot>;

/** Says hello on the port and answers the one call that comes through it. Never rejects. */
export async function serveCall(
  port: MessagePort,
  handlers: { request: RequestHandler; control: ControlHandler },
  timing: CallTiming = REQUEST_TIMING,
): Promise<void> {
  const answered = answerCall<GatewayPayload, ResponseItem | Snapshot>(
    port,
    (payload, signal, begin) =>
      'control' in payload
        ? inBatches(handlers.control(payload, signal))
        : respond(payload, (request) => handlers.request(request, begin), signal),
    timing,
  );
  port.addEventListener('message', ({ data, ports: [call] }: MessageEvent<CallerMessage<GatewayPayload>>) => {
    if (data.type === 'call' && call) void serveCall(call, handlers, timing);
  });
  const hello: CalleeMessage<never> = { type: 'hello', version: PROTOCOL_VERSION, lifeline: await ownLifeline() };
  port.postMessage(hello);
  await answered;
}

async function* respond(
  payload: RequestPayload,
  handler: (request: Request) => Promise<Response> | Response,
  signal: AbortSignal,
): AsyncGenerator<ResponseItem[]> {
  const response = await handler(fromRequestPayload(payload, signal));
  const head = toResponseHead(response);
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  const cancel = (): void => void reader?.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  try {
    if (signal.aborted) cancel();
    // The caller may leave here too, and a body that is neither read nor cancelled would hold the engine for ever.
    yield [head];
    if (!reader) return;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      // Cloning a view clones the whole buffer behind it.
      yield [value.byteLength === value.buffer.byteLength ? value : value.slice()];
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}

async function* inBatches<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item[]> {
  for await (const item of items) yield [item];
}
