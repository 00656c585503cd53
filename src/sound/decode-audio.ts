/** Decodes recordings of any supported format to samples. @module */
import { cancelled, InferenceError, isInferenceError } from '../core/errors/inference-error.js';
import { sniffAudio } from '../core/media/sniff-audio.js';
import { orAborted, rejectOnAbort } from '../core/platform/reject-on-abort.js';
import { withTrustedWorkers } from '../core/errors/trusted-types.js';
import { ControlChannel } from '../relay/control/control-channel.js';
import type { DecodeLimits } from './decode-track.js';
import type { MediaControl } from './media-worker.js';
import { pageAudioDecoder, type PageAudioDecoder } from './page-audio-decoder.js';
import { readWav, type WavFile } from './read-wav.js';
import { mixDown, noAudio, SampleCollector, tooLong } from './sample-collector.js';

export interface DecodeAudioOptions {
  /** Hz of the result. @default 16000 */
  sampleRate?: number;
  /** Longer recordings are refused: their samples would fill the memory. @default two hours */
  maxSeconds?: number;
  /** Asked when this realm has no decoder for the recording. @default the one of `providePageAudioDecoder` */
  pageDecoder?: PageAudioDecoder;
  /** What is still being decoded then is refused. @default by the size of the file */
  milliseconds?: number;
  signal?: AbortSignal;
}

const UNDECODABLE = 'The audio could not be decoded.';

/** Frames of a WAV file that are converted at once. */
const WAV_PIECE = 1 << 18;

/**
 * A recording as mono samples, -1 to 1. WAV needs no codec; the other containers go through WebCodecs in a worker, or
 * else through the page, within a time that grows with their size. Sound is resampled piece by piece, so memory holds
 * the file and the result.
 * @throws InferenceError `invalid_media` with param `file` when it is not a recording, broken, too long or takes too long;
 * `cancelled`
 */
export async function decodeAudio(bytes: Uint8Array, options: DecodeAudioOptions = {}): Promise<Float32Array> {
  const { sampleRate = 16_000, maxSeconds = 7200, pageDecoder = pageAudioDecoder(), signal } = options;
  const container = sniffAudio(bytes);
  if (!container) throw invalid('The file is not audio in a supported format.');
  const collect = (rate: number) => new SampleCollector(rate, sampleRate, maxSeconds, signal);
  const wav = container === 'wav' ? readWav(bytes) : undefined;
  if (wav) {
    if (wav.isHeaderOnly) throw noAudio();
    // Known before anything is decoded.
    if (wav.frames > maxSeconds * wav.sampleRate) throw tooLong();
    return collectWav(wav, collect(wav.sampleRate));
  }
  const deadline = decodeDeadline(options.milliseconds ?? decodeTime(bytes.length));
  const stop = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal;
  try {
    return (
      (await decodeInWorker(bytes, { sampleRate, maxSeconds }, stop).catch((thrown: unknown) => {
        if (stop.aborted || !pageDecoder) throw thrown;
        if (isInferenceError(thrown) && thrown.code === 'invalid_media') throw thrown;
      })) ?? (await decodeInPage(bytes, collect, pageDecoder, stop))
    );
  } catch (thrown) {
    if (signal?.aborted) throw cancelled();
    throw isInferenceError(thrown) && thrown.code === 'invalid_media' ? thrown : invalid(UNDECODABLE, thrown);
  } finally {
    deadline.end();
  }
}

async function decodeInPage(
  bytes: Uint8Array,
  collect: (rate: number) => SampleCollector,
  pageDecoder: PageAudioDecoder | undefined,
  stop: AbortSignal,
): Promise<Float32Array> {
  if (!pageDecoder) throw invalid('This browser cannot decode this kind of audio.');
  const decoded = await orAborted(pageDecoder(bytes), stop);
  const collector = collect(decoded.sampleRate);
  collector.push(mixDown(decoded.channels));
  return collector.end();
}

function collectWav(wav: WavFile, collector: SampleCollector): Float32Array {
  for (let start = 0; start < wav.frames; start += WAV_PIECE) {
    collector.push(wav.read(start, Math.min(wav.frames, start + WAV_PIECE)));
  }
  return collector.end();
}

function invalid(message: string, cause?: unknown): InferenceError {
  return new InferenceError('invalid_media', message, { param: 'file' }, cause === undefined ? {} : { cause });
}

/** Milliseconds for any recording (its worker may have to start), and for each megabyte of it. */
const TIME = { least: 20_000, perMegabyte: 60_000 };

/** Milliseconds in which a recording of so many bytes must be decoded. Slow machines take a tenth of it. */
export function decodeTime(bytes: number): number {
  return TIME.least + (bytes / 2 ** 20) * TIME.perMegabyte;
}

/** Aborts with `invalid_media` after so many milliseconds. */
function decodeDeadline(milliseconds: number): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController();
  const message = 'The audio took too long to decode.';
  const timer = setTimeout(
    () => controller.abort(new InferenceError('invalid_media', message, { param: 'file' })),
    milliseconds,
  );
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}

/**
 * The worker that waits for the next recording. Demuxers loop on files that were made for it, and a loop that never
 * leaves its task can only be ended with its worker.
 */
let idle: MediaWorker | undefined;

/**
 * Mono samples; undefined when this browser has no decoder for them, or no workers (Node).
 * @param signal ends the work with its reason
 * @throws InferenceError: `invalid_media` when it is too long; the signal's; whatever demuxer or decoder throw on broken files
 */
async function decodeInWorker(
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
  readonly #worker = withTrustedWorkers(
    () => new Worker(new URL('./media-worker.ts', import.meta.url), { type: 'module', name: 'inpage-media' }),
  );
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
