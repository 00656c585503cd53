/** A model's progress, file by file, as the page is told. @module */
import type { LoadProgress } from '../core/models/model-entry.js';
import type { StoreEnvironment } from './store-environment.js';
import { TransferMeter } from './transfer-meter.js';

/** Milliseconds between two reports of a file. */
const REPORT_EVERY = 100;

/** How far a file is. */
export interface FileState {
  loaded: number;
  /** Undefined while the size is unknown. */
  total: number | undefined;
  waiting?: LoadProgress['waiting'];
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
  tell(file: string, { loaded, total, waiting }: FileState): boolean {
    const now = this.#environment.now();
    const isDue = now - (this.#lastTimes.get(file) ?? -Infinity) >= REPORT_EVERY;
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
    });
    return true;
  }
}
