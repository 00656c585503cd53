/** Reads the server-sent events of a remote service's answer. @module */
import * as v from 'valibot';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { InferenceError, throwIfCancelled } from '../../core/errors/inference-error.js';

/** Milliseconds without a byte after which an answer counts as broken. OpenAI sends nothing while its models reason. */
export const SILENCE_TIMEOUT_MS = 300_000;

/**
 * The JSON of each event until `[DONE]` or the end.
 * @throws InferenceError `cancelled`; `unavailable` when the answer is not an event stream, falls silent or breaks
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
          watch.received();
          controller.enqueue(bytes);
        },
      }),
    )
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .pipeThrough(new EventSourceParserStream());
  const reader = events.getReader();
  const stop = (): void => watch.abort();
  signal.addEventListener('abort', stop);
  try {
    for (;;) {
      throwIfCancelled(signal);
      const next = await watch.wait(reader.read());
      throwIfCancelled(signal);
      if (next === undefined) throw broken('stopped sending');
      if (next.done || next.value.data === '[DONE]') return;
      yield parse(next.value.data);
    }
  } catch (thrown) {
    throwIfCancelled(signal);
    throw thrown instanceof TypeError ? broken('ended its answer early', thrown) : thrown;
  } finally {
    signal.removeEventListener('abort', stop);
    reader.cancel().catch(() => {});
  }
}

/** `unavailable`, with a message about the service. */
export function broken(what: string, cause?: unknown): InferenceError {
  return new InferenceError('unavailable', `The upstream service ${what}.`, { retryAfter: 5 }, { cause });
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw broken('sent an event that is not JSON', cause);
  }
}

/** Reads with a time limit for each byte. The time that the consumer takes does not count. */
export class SilenceWatch {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isWaiting = false;
  abort: () => void = () => {};

  /** The result; undefined after {@link SILENCE_TIMEOUT_MS} without a byte, or when reading was ended. */
  async wait<Result>(work: Promise<Result>): Promise<Result | undefined> {
    const silent = new Promise<undefined>((resolve) => (this.abort = () => resolve(undefined)));
    this.#isWaiting = true;
    this.received();
    try {
      return await Promise.race([work, silent]);
    } finally {
      this.#isWaiting = false;
      clearTimeout(this.#timer);
    }
  }

  /** Called for every byte, keep-alive comments included. */
  received(): void {
    if (!this.#isWaiting) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.abort(), SILENCE_TIMEOUT_MS);
  }
}

/** A number of tokens that the service may omit. */
export const tokenCount = v.nullish(v.number(), 0);

/** Checks a JSON answer. @throws InferenceError `unavailable` when it does not match */
export function readAnswer<Schema extends v.GenericSchema>(schema: Schema, answer: unknown): v.InferOutput<Schema> {
  const result = v.safeParse(schema, answer);
  if (!result.success) throw broken('sent an answer in an unknown format', new v.ValiError(result.issues));
  return result.output;
}
