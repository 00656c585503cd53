/** How fast a model's bytes come in, and how long the rest will take. @module */

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

  /** Bytes that a file still lacks; undefined: nobody knows. */
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
