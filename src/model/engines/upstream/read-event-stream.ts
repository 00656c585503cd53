/** The events of a streamed answer. @module */
import * as v from 'valibot';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { InferenceError, throwIfCancelled } from '../../../core/errors/inference-error.js';

/** Milliseconds without a byte, once the answer has begun, until it is given up. OpenAI's models think in silence. */
export const SILENCE_LIMIT = 300_000;

/**
 * The JSON of each event until `[DONE]` or the end.
 * @throws InferenceError `cancelled`; `unavailable` when the answer is no event stream, falls silent or breaks
 */
export async function* readEventStream(response: Response, signal: AbortSignal): AsyncGenerator<unknown, void> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (!response.body || !isStream) {
    await response.body?.cancel();
    throw broken('did not stream its answer');
  }
  const watch = new SilenceWatch();
  const events = response.body
    .pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(bytes, controller) {
          watch.heard();
          controller.enqueue(bytes);
        },
      }),
    )
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .pipeThrough(new EventSourceParserStream());
  const reader = events.getReader();
  const stop = (): void => watch.giveUp();
  signal.addEventListener('abort', stop);
  try {
    for (;;) {
      throwIfCancelled(signal);
      const next = await watch.wait(reader.read());
      throwIfCancelled(signal);
      if (next === undefined) throw broken('fell silent');
      if (next.done || next.value.data === '[DONE]') return;
      yield parse(next.value.data);
    }
  } catch (thrown) {
    throwIfCancelled(signal);
    throw thrown instanceof TypeError ? broken('broke off its answer', thrown) : thrown;
  } finally {
    signal.removeEventListener('abort', stop);
    reader.cancel().catch(() => {});
  }
}

/** `unavailable`, with what the service did. */
export function broken(what: string, cause?: unknown): InferenceError {
  return new InferenceError('unavailable', `The upstream service ${what}.`, { retryAfter: 5 }, { cause });
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw broken('sent an event that is no JSON', cause);
  }
}

/** Waits, but not for a service that says nothing. A reader that takes its time is not the service's silence. */
class SilenceWatch {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isWaiting = false;
  giveUp: () => void = () => {};

  /** The result; undefined after {@link SILENCE_LIMIT} without a byte, or when it was given up. */
  async wait<Result>(work: Promise<Result>): Promise<Result | undefined> {
    const silent = new Promise<undefined>((resolve) => (this.giveUp = () => resolve(undefined)));
    this.#isWaiting = true;
    this.heard();
    try {
      return await Promise.race([work, silent]);
    } finally {
      this.#isWaiting = false;
      clearTimeout(this.#timer);
    }
  }

  /** A byte came, be it of a comment that keeps the line open. */
  heard(): void {
    if (!this.#isWaiting) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.giveUp(), SILENCE_LIMIT);
  }
}

/** A count that the service may leave out. */
export const tokenCount = v.nullish(v.number(), 0);

/** @throws InferenceError `unavailable` when the answer is not of this form */
export function readAnswer<Schema extends v.GenericSchema>(schema: Schema, answer: unknown): v.InferOutput<Schema> {
  const result = v.safeParse(schema, answer);
  if (!result.success) throw broken('sent an answer that makes no sense', new v.ValiError(result.issues));
  return result.output;
}
