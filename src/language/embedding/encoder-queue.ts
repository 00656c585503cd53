/** Batches of texts from concurrent requests to an encoder. @module */
import { cancelled } from '../../core/errors/inference-error.js';
import { yieldToEventLoop } from '../../core/platform/pause.js';

/** The tokens of a text, or what has as many. */
interface Tokens {
  readonly length: number;
}

/** Runs one batch of texts through the model and gives one result per text, in order. */
type RunBatch<Text, Result> = (batch: readonly Text[]) => Promise<readonly Result[]>;

interface Job<Text, Result> {
  /** Texts without a result yet. */
  waiting: Set<number>;
  texts: readonly Text[];
  results: Result[];
  resolve(results: Result[]): void;
  reject(error: unknown): void;
}

/** A text of a request that waits. */
interface QueueEntry<Text, Result> {
  job: Job<Text, Result>;
  index: number;
}

/**
 * Texts of all waiting requests share batches. Each batch contains the longest text of the oldest request, so no request
 * starves.
 */
export class EncoderQueue<Text extends Tokens, Result> {
  readonly #runBatch: RunBatch<Text, Result>;
  readonly #jobs = new Set<Job<Text, Result>>();
  #running = false;

  constructor(runBatch: RunBatch<Text, Result>) {
    this.#runBatch = runBatch;
  }

  /**
   * One result per text, in order.
   * @throws InferenceError `cancelled` when `signal` aborts; whatever the batch's run throws
   */
  run(texts: readonly Text[], signal: AbortSignal): Promise<Result[]> {
    return new Promise((resolve, reject) => {
      if (texts.length === 0) return resolve([]);
      if (signal.aborted) return reject(cancelled());
      const onAbort = () => {
        if (this.#jobs.delete(job)) reject(cancelled());
      };
      const settle = (finish: () => void) => {
        signal.removeEventListener('abort', onAbort);
        finish();
      };
      const job: Job<Text, Result> = {
        waiting: new Set(texts.keys()),
        texts,
        results: [],
        resolve: (results) => settle(() => resolve(results)),
        reject: (error) => settle(() => reject(error)),
      };
      signal.addEventListener('abort', onAbort);
      this.#jobs.add(job);
      void this.#drain();
    });
  }

  /** Runs batches until the queue is empty. Never rejects: failures go to the requests of the failed batch. */
  async #drain(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    while (this.#jobs.size > 0) {
      // Lets requests and aborts arrive before the engine blocks this thread again.
      await yieldToEventLoop();
      const batch = this.#nextBatch();
      if (batch.length > 0) await this.#runOne(batch);
    }
    this.#running = false;
  }

  #nextBatch(): QueueEntry<Text, Result>[] {
    const waiting: QueueEntry<Text, Result>[] = [];
    const lengths: number[] = [];
    let anchor = 0;
    const [oldest] = this.#jobs;
    for (const job of this.#jobs) {
      for (const index of job.waiting) {
        const length = job.texts[index]?.length ?? 0;
        if (job === oldest && length > (lengths[anchor] ?? 0)) anchor = lengths.length;
        waiting.push({ job, index });
        lengths.push(length);
      }
    }
    if (waiting.length === 0) return [];
    return planBatch(lengths, anchor).map((position) => waiting[position]!);
  }

  async #runOne(batch: readonly QueueEntry<Text, Result>[]): Promise<void> {
    try {
      const results = await this.#runBatch(batch.map(({ job, index }) => job.texts[index]!));
      for (const [position, { job, index }] of batch.entries()) {
        job.results[index] = results[position]!;
        job.waiting.delete(index);
        if (job.waiting.size === 0 && this.#jobs.delete(job)) job.resolve(job.results);
      }
    } catch (error) {
      for (const { job } of batch) if (this.#jobs.delete(job)) job.reject(error);
    }
  }
}

/** Maximum number of tokens of a batch, padding included. Larger batches exceed the CPU's caches and gain nothing. */
const TOKEN_BUDGET = 512;

/** Texts of a batch are at least this fraction of the longest, so that little padding is computed. */
const LENGTH_RATIO = 0.8;

/** Texts that are at most this many tokens shorter than the longest always fit. */
const LENGTH_SLACK = 2;

/**
 * Picks the next batch from `lengths` (tokens per waiting text, all at least 1). It has the text at `anchor` and those
 * nearest to it in length.
 * @returns indices into `lengths`
 */
function planBatch(lengths: readonly number[], anchor: number, tokenBudget: number = TOKEN_BUDGET): number[] {
  const anchorLength = lengths[anchor] ?? 1;
  const order = lengths.map((_, index) => index).filter((index) => index !== anchor);
  const distance = (index: number) => Math.abs((lengths[index] ?? 1) - anchorLength);
  order.sort((left, right) => distance(left) - distance(right) || left - right);
  const batch = [anchor];
  let shortest = anchorLength;
  let longest = anchorLength;
  for (const index of order) {
    const length = lengths[index] ?? 1;
    const low = Math.min(shortest, length);
    const high = Math.max(longest, length);
    if (low < high * LENGTH_RATIO && high - low > LENGTH_SLACK) continue;
    if ((batch.length + 1) * high > tokenBudget) continue;
    batch.push(index);
    shortest = low;
    longest = high;
  }
  return batch;
}
