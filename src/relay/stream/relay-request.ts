/** The caller's end of the relay: a request goes out through a port, a Response comes back. @module */
import type { InferenceError } from '../../core/errors/inference-error.js';
import type { CompatibilityName } from '../../core/models/inference-options.js';
import { CONNECT_TIMEOUT_MS, REQUEST_TIMING } from './call-timing.js';
import { orAborted } from '../../core/platform/reject-on-abort.js';
import type { Connect } from '../handshake.js';
import { OpenCall, peerLostError } from './open-call.js';
import type { ResumeCheckpoint } from '../../core/events/resume-checkpoint.js';
import type { RequestPayload, ResponseChunk, ResponseHead, ResponseItem } from '../protocol.js';
import { fromResponseHead, resolveCompatibility, unavailableResponse } from './request-payload.js';

/** Hosts that are asked for the beginning of an answer, one after the other is gone; and for the rest of one. */
const MAX_ATTEMPTS = 4;

/** How one request is relayed. */
export interface RelayOptions {
  signal: AbortSignal;
  /** Called once when nothing of the exchange is left, however it ended. */
  onDone?: () => void;
  /** What the app asked for; decides the form of a 503. */
  compatibility: CompatibilityName | null | undefined;
}

/**
 * Sends one request to the gateway, and to the next one when the first is gone before a model worked on it. Resolves with
 * the answer, or with 503 when no engine can answer; rejects only with the reason of `signal`, as `fetch` does. When the
 * engine dies while the body streams, the next gateway continues it if all its chunks have checkpoints. Else the body ends
 * with the failure tail of the head or, without one, with an error: it is never silently truncated.
 */
export async function relayRequest(
  payload: RequestPayload,
  connect: Connect,
  { signal, onDone, compatibility }: RelayOptions,
): Promise<Response> {
  const cancellation = new AbortController();
  /** Errors the body, where there is one. */
  let fail: (reason: unknown) => void = () => {};
  const leave = (): void => {
    fail(signal.reason);
    end();
  };
  /** Cancels what still runs. */
  const end = (): void => {
    if (cancellation.signal.aborted) return;
    signal.removeEventListener('abort', leave);
    cancellation.abort();
    onDone?.();
  };

  /** The first items of a gateway. One that is gone before it has begun to work is not the last to be asked. */
  const begin = async (checkpoints?: ResumeCheckpoint[]): Promise<BegunAnswer> => {
    for (let attempt = 1; ; attempt++) {
      const stop = AbortSignal.any([cancellation.signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]);
      const { port, hello } = await connect(stop);
      let isBegun = attempt === MAX_ATTEMPTS || !!payload.stream;
      const batches = new OpenCall<ResponseItem>(
        port,
        { ...payload, checkpoints },
        {
          signal: cancellation.signal,
          timing: REQUEST_TIMING,
          lifeline: hello.lifeline,
          transfer: payload.stream,
          onBegun: () => (isBegun = true),
        },
      );
      try {
        return [batches, ...((await batches.next()).value ?? [])] as BegunAnswer;
      } catch (thrown) {
        // No gateway is asked for a caller that has left: `connect` rejects then.
        if (isBegun) throw thrown;
      }
    }
  };

  const answer = async (): Promise<Response> => {
    const [batches, head, ...chunks] = await begin();
    if (!head) throw peerLostError();
    // What does not stream comes whole or not at all: a failure in the middle of it could not be reported.
    if (!head.streams) for await (const batch of batches) chunks.push(...(batch as ResponseChunk[]));
    const response = fromResponseHead(head, payload, () =>
      head.streams ? streamed(head.failureTail, chunks, batches) : new Blob(chunks.map(({ bytes }) => bytes)),
    );
    if (!head.streams || !response.body) end();
    return response;
  };

  const streamed = (
    failureTail: string | undefined,
    chunks: ResponseChunk[] | undefined,
    batches: OpenCall<ResponseItem>,
  ): ReadableStream<Uint8Array> => {
    // What another host needs to resume from here; undefined: none can.
    let checkpoints: ResumeCheckpoint[] | undefined = [];
    let left = MAX_ATTEMPTS;
    return new ReadableStream(
      {
        start: (controller) => {
          fail = (reason) => controller.error(reason);
        },
        pull: async (controller) => {
          for (let isFed = false; !isFed;) {
            try {
              chunks ??= (await batches.next()).value as ResponseChunk[] | undefined;
            } catch (thrown) {
              // A call throws InferenceErrors only. A body that broke by itself stays broken; the tail stands for an engine that is gone.
              const isGone = (thrown as InferenceError).code === 'unavailable';
              const next = isGone && checkpoints && left-- > 0 && (await begin(checkpoints).catch(() => undefined));
              if (next && next[1]?.streams) [batches, , ...chunks] = next;
              else if (isGone && failureTail) controller.enqueue(new TextEncoder().encode(failureTail));
              else {
                fail(thrown);
                return end();
              }
            }
            if (signal.aborted) return;
            if (!chunks) {
              controller.close();
              return end();
            }
            for (const { bytes, checkpoint } of chunks) {
              controller.enqueue(bytes);
              if (checkpoint) checkpoints?.push(checkpoint);
              else checkpoints = undefined;
              isFed = true;
            }
            chunks = undefined;
          }
        },
        // Not at once: WebKit's Service Worker stands still for ever when a signal is aborted while it cancels a stream.
        cancel: () => queueMicrotask(end),
      },
      { highWaterMark: 0 },
    );
  };

  signal.addEventListener('abort', leave);
  try {
    signal.throwIfAborted();
    return await orAborted(answer(), signal);
  } catch {
    end();
    signal.throwIfAborted();
    return unavailableResponse(resolveCompatibility(compatibility, payload.intercepted), payload.url);
  }
}

/** The call, and its first items. */
type BegunAnswer = [OpenCall<ResponseItem>, ResponseHead?, ...ResponseChunk[]];
