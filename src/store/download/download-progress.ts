/** The progress of a model's files, as the page and other tabs are told. @module */
import type { LoadProgress } from '../../core/models/model-entry.js';
import type { StoreEnvironment } from '../storage/store-environment.js';
import type { FileLocation } from '../storage/byte-storage.js';

/** Milliseconds between two reports of a file. */
const REPORT_INTERVAL_MS = 100;

/** How far a file is. */
export interface FileState {
  loaded: number;
  /** Undefined while the size is unknown. */
  total: number | undefined;
  waiting?: LoadProgress['waiting'];
  /** Only while it waits to try again. */
  waitingReason?: string | undefined;
}

export class LoadReport {
  readonly #model: string;
  readonly #environment: StoreEnvironment;
  readonly #onProgress: (progress: LoadProgress) => void;
  readonly #meter: TransferMeter;
  readonly #lastTimes = new Map<string, number>();

  constructor(model: string, environment: StoreEnvironment, onProgress: (progress: LoadProgress) => void) {
    this.#model = model;
    this.#environment = environment;
    this.#onProgress = onProgress;
    this.#meter = new TransferMeter(() => environment.now());
  }

  /** Something was told of this file. */
  knows(file: string): boolean {
    return this.#lastTimes.has(file);
  }

  /** Bytes of a file came from the network. */
  count(file: string, bytes: number, { loaded, total }: FileState): void {
    this.#meter.count(bytes);
    this.#meter.expect(file, total === undefined ? undefined : Math.max(0, total - loaded));
  }

  /** Tells the page, now and then. @returns whether it was time for it */
  tell(file: string, { loaded, total, waiting, waitingReason }: FileState): boolean {
    const now = this.#environment.now();
    const isDue = now - (this.#lastTimes.get(file) ?? -Infinity) >= REPORT_INTERVAL_MS;
    if (!isDue && waiting === undefined && loaded !== total) return false;
    this.#lastTimes.set(file, now);
    const rate = waiting === undefined ? this.#meter.rate() : undefined;
    this.#onProgress({
      model: this.#model,
      file: file.slice(file.lastIndexOf('/') + 1),
      loadedBytes: loaded,
      totalBytes: total === undefined ? 0 : Math.max(total, loaded),
      stage: 'download',
      ...(rate && { bytesPerSecond: rate.bytesPerSecond }),
      ...(rate?.remainingSeconds !== undefined && { remainingSeconds: rate.remainingSeconds }),
      ...(waiting && { waiting }),
      ...(waitingReason !== undefined && { waitingReason }),
    });
    return true;
  }
}

/** Milliseconds that the speed is measured over. */
const WINDOW = 5_000;
/** Milliseconds from the first byte before a speed is told. */
const WARM_UP = 500;

/** What is known of a download under way. */
export interface TransferRate {
  bytesPerSecond: number;
  /** Undefined while the size of a file is unknown. */
  remainingSeconds: number | undefined;
}

/** Counts the bytes of one model. */
export class TransferMeter {
  readonly #now: () => number;
  /** Bytes so far, at times. */
  readonly #samples: { time: number; bytes: number }[] = [];
  readonly #missing = new Map<string, number | undefined>();
  #bytes = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Bytes that a file still lacks; undefined: unknown. */
  expect(file: string, missing: number | undefined): void {
    this.#missing.set(file, missing);
  }

  /** Bytes that came in. */
  count(bytes: number): void {
    const time = this.#now();
    this.#bytes += bytes;
    this.#samples.push({ time, bytes: this.#bytes });
    while (this.#samples.length > 2 && this.#samples[0]!.time < time - WINDOW) this.#samples.shift();
  }

  /** Undefined until enough has come in to tell. */
  rate(): TransferRate | undefined {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (!first || !last || last.time - first.time < WARM_UP) return undefined;
    const bytesPerSecond = ((last.bytes - first.bytes) / (last.time - first.time)) * 1000;
    const missing = [...this.#missing.values()].reduce<number>((sum, bytes) => sum + (bytes ?? NaN), 0);
    const remainingSeconds = bytesPerSecond > 0 && !Number.isNaN(missing) ? missing / bytesPerSecond : undefined;
    return { bytesPerSecond: Math.round(bytesPerSecond), remainingSeconds };
  }
}

/** What is told. */
export interface SharedProgress extends FileLocation {
  loaded: number;
  total: number | undefined;
}

const CHANNEL = 'inpage:downloads';

let sender: BroadcastChannel | undefined;

/** Tells the other tabs. */
export function shareProgress(progress: SharedProgress): void {
  sender ??= new BroadcastChannel(CHANNEL);
  (sender as { unref?: () => void }).unref?.();
  sender.postMessage(progress);
}

/** Listens to what others tell of a file, until the signal aborts. */
export function hearProgress(
  location: FileLocation,
  onProgress: (progress: SharedProgress) => void,
  until: AbortSignal,
): void {
  const channel = new BroadcastChannel(CHANNEL);
  (channel as { unref?: () => void }).unref?.();
  channel.onmessage = ({ data }: MessageEvent<SharedProgress>) => {
    if (data.model === location.model && data.file === location.file) onProgress(data);
  };
  until.addEventListener('abort', () => channel.close(), { once: true });
}
