/** Lets concurrent requests share batches. @module */
import { cancelled } from '../../../../core/errors/inference-error.js';
import { yieldToEventLoop } from '../../../../core/platform/yield-to-event-loop.js';
import { planBatch } from './plan-batches.js';

/** Runs one batch of token id lists through the model and gives one raw vector per list, in order. */
export type RunBatch = (batch: readonly (readonly number[])[]) => Promise<Float32Array[]>;

interface Job {
  /** Texts without a vector yet. */
  waiting: Set<number>;
  texts: readonly (readonly number[])[];
  vectors: Float32Array[];
  resolve(vectors: Float32Array[]): void;
  reject(error: unknown): void;
}

/**
 * Texts of all waiting requests go into common batches. The oldest request's longest text leads each batch, so no
 * request starves behind a stream of others.
 */
export class EmbeddingQueue {
  readonly #runBatch: RunBatch;
  readonly #jobs = new Set<Job>();
  #running = false;

  constructor(runBatch: RunBatch) {
    this.#runBatch = runBatch;
  }

  /**
   * One raw vector per text, in order.
   * @throws InferenceError `cancelled` when `signal` aborts; whatever the batch's run throws
   */
  embed(texts: readonly (readonly number[])[], signal: AbortSignal): Promise<Float32Array[]> {
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
      const job: Job = {
        waiting: new Set(texts.keys()),
        texts,
        vectors: [],
        resolve: (vectors) => settle(() => resolve(vectors)),
        reject: (error) => settle(() => reject(error)),
      };
      signal.addEventListener('abort', onAbort);
      this.#jobs.add(job);
      void this.#drain();
    });
  }

  /** Runs batches until nobody waits. Never rejects: failures go to the requests of the failed batch. */
  async #drain(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    while (this.#jobs.size > 0) {
      // Requests and aborts that have arrived meanwhile are heard before the engine blocks this thread again.
      await yieldToEventLoop();
      const batch = this.#nextBatch();
      if (batch.length > 0) await this.#runOne(batch);
    }
    this.#running = false;
  }

  #nextBatch(): { job: Job; index: number }[] {
    const waiting: { job: Job; index: number }[] = [];
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

  async #runOne(batch: readonly { job: Job; index: number }[]): Promise<void> {
    try {
      const vectors = await this.#runBatch(batch.map(({ job, index }) => job.texts[index]!));
      for (const [position, { job, index }] of batch.entries()) {
        job.vectors[index] = vectors[position]!;
        job.waiting.delete(index);
        if (job.waiting.size === 0 && this.#jobs.delete(job)) job.resolve(job.vectors);
      }
    } catch (error) {
      for (const { job } of batch) if (this.#jobs.delete(job)) job.reject(error);
    }
  }
}
