/**
 * Decodes compressed recordings where a deadline can end it. Demuxers loop on files that were made for it, and a loop
 * that never leaves its task can only be ended with its worker.
 * @module
 */
import { InferenceError } from '../../core/errors/inference-error.js';
import { orAborted, rejectOnAbort } from '../../core/platform/reject-on-abort.js';
import { ControlChannel } from '../../relay/control/control-channel.js';
import type { DecodeLimits, MediaControl } from './media-worker.js';

/** Milliseconds for any recording (its worker may have to start), and for each megabyte of it. */
const TIME = { least: 20_000, perMegabyte: 60_000 };

/** Milliseconds in which a recording of so many bytes must be decoded. Slow machines take a tenth of it. */
export function decodeTime(bytes: number): number {
  return TIME.least + (bytes / 2 ** 20) * TIME.perMegabyte;
}

/** Aborts with `invalid_media` after so many milliseconds. */
export function decodeDeadline(milliseconds: number): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController();
  const message = 'The recording took too long to decode.';
  const timer = setTimeout(
    () => controller.abort(new InferenceError('invalid_media', message, { param: 'file' })),
    milliseconds,
  );
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}

/** The worker that waits for the next recording. */
let idle: MediaWorker | undefined;

/**
 * Mono samples; undefined when this browser has no decoder for them, or no workers (Node).
 * @param signal ends the work with its reason
 * @throws InferenceError: `invalid_media` when it is too long; the signal's; whatever demuxer or decoder throw on broken files
 */
export async function decodeInWorker(
  bytes: Uint8Array,
  limits: DecodeLimits,
  signal: AbortSignal,
): Promise<Float32Array | undefined> {
  signal.throwIfAborted();
  if (typeof Worker === 'undefined') return undefined;
  const worker = idle ?? new MediaWorker();
  idle = undefined;
  try {
    const samples = await orAborted(worker.decode(bytes, limits), signal);
    if (idle) worker.end();
    else idle = worker;
    return samples;
  } catch (thrown) {
    worker.end();
    throw thrown;
  }
}

class MediaWorker {
  // Bundlers know `new Worker(new URL(…))` by its letters.
  readonly #worker = new Worker(new URL('./media-worker.ts', import.meta.url), {
    type: 'module',
    name: 'inpage-media',
  });
  readonly #channel = new ControlChannel<MediaControl>(this.#worker, undefined);
  readonly #broken = new AbortController();

  constructor() {
    this.#worker.addEventListener('error', ({ message }) => this.#broken.abort(new Error(message)));
  }

  decode(bytes: Uint8Array, limits: DecodeLimits): Promise<Float32Array | undefined> {
    const decoded = this.#channel.call((media) => media.decode(bytes, limits));
    return Promise.race([decoded, rejectOnAbort(this.#broken.signal)]);
  }

  end(): void {
    this.#worker.terminate();
    this.#channel.close();
  }
}
