/**
 * Jobs that threads share, in the kernels' memory. The thread that runs forward passes writes the calls of a job and raises its
 * number; each thread computes its share of every call and counts itself as done.
 * @module
 */
import type { KernelExports } from './kernel-exports.js';

/** Calls that are shared, by their numbers in jobs. */
const NAMES = ['multiply', 'multiplyExact', 'attend'] as const;
export type SharedCall = (typeof NAMES)[number];

/** Calls of a job: products of the same activations. */
const MOST_CALLS = 3;
/** Numbers of a call: its name, how many arguments it has, in how many units it can be cut, and the arguments. */
const [CALL_NUMBERS, FIXED] = [16, 3];

/** Whole numbers of 32 bits at the beginning: the job's number, how many threads are done, how many calls it has, how many threads failed. */
const [NUMBER, DONE, CALLS, FAILED, WORDS] = [0, 1, 2, 3, 4];

/** Bytes that jobs occupy. */
export const JOB_BYTES = WORDS * 4 + MOST_CALLS * CALL_NUMBERS * 8;

/** The number of a job that tells threads to end. */
const END = -1;

/**
 * Looks again and again for some tens of microseconds before a thread sleeps: it takes longer to wake one than most jobs last.
 */
const SPINS = 20_000;

/** Milliseconds in which others are done with their share, which takes some milliseconds. */
const DEADLINE = 20_000;

/** One thread's view of the jobs. */
export class ThreadJobs {
  readonly #words: Int32Array;
  readonly #calls: Float64Array;
  readonly #functions: KernelExports;
  readonly #thread: number;
  readonly #threads: number;
  readonly #scratch: number;

  /**
   * @param at where the jobs are; divisible by 8
   * @param thread its number; 0 gives the jobs out
   * @param scratch of this thread
   */
  constructor(
    buffer: SharedArrayBuffer | ArrayBuffer,
    at: number,
    functions: KernelExports,
    { thread, threads, scratch }: { thread: number; threads: number; scratch: number },
  ) {
    this.#words = new Int32Array(buffer, at, WORDS);
    this.#calls = new Float64Array(buffer, at + WORDS * 4, MOST_CALLS * CALL_NUMBERS);
    this.#functions = functions;
    this.#thread = thread;
    this.#threads = threads;
    this.#scratch = scratch;
  }

  /**
   * Runs calls in all threads.
   * @param calls at most 3: the name, the arguments without scratch and share, the units that can be shared
   * @throws Error when a thread fails, or does not end its share
   */
  run(calls: readonly (readonly [SharedCall, readonly number[], number])[]): void {
    for (let index = 0; index < calls.length; index++) {
      const [name, values, units] = calls[index]!;
      const at = index * CALL_NUMBERS;
      this.#calls[at] = NAMES.indexOf(name);
      this.#calls[at + 1] = values.length;
      this.#calls[at + 2] = units;
      this.#calls.set(values, at + FIXED);
    }
    this.#words[CALLS] = calls.length;
    Atomics.store(this.#words, DONE, 0);
    // Not below 0, which would end them.
    Atomics.store(this.#words, NUMBER, (Atomics.load(this.#words, NUMBER) + 1) & 0x7fffffff);
    Atomics.notify(this.#words, NUMBER);
    this.#runShare();
    this.#awaitOthers();
    if (Atomics.load(this.#words, FAILED) > 0) throw new Error('A thread of the engine failed.');
  }

  #awaitOthers(): void {
    const others = this.#threads - 1;
    for (let spin = 0; spin < SPINS; spin++) if (Atomics.load(this.#words, DONE) === others) return;
    for (let done = Atomics.load(this.#words, DONE); done < others; done = Atomics.load(this.#words, DONE)) {
      const isOver = Atomics.wait(this.#words, DONE, done, DEADLINE) === 'timed-out';
      if (isOver) throw new Error('A thread of the engine does not answer.');
    }
  }

  /** Does its share of all jobs until the end. Blocks its thread. */
  serve(): void {
    for (let last = 0; ;) {
      for (let spin = 0; spin < SPINS && Atomics.load(this.#words, NUMBER) === last; spin++);
      while (Atomics.load(this.#words, NUMBER) === last) Atomics.wait(this.#words, NUMBER, last);
      last = Atomics.load(this.#words, NUMBER);
      if (last === END) return;
      try {
        this.#runShare();
      } catch {
        Atomics.add(this.#words, FAILED, 1);
      }
      Atomics.add(this.#words, DONE, 1);
      Atomics.notify(this.#words, DONE);
    }
  }

  /** Ends the other threads. */
  end(): void {
    Atomics.store(this.#words, NUMBER, END);
    Atomics.notify(this.#words, NUMBER);
  }

  #runShare(): void {
    const calls = this.#words[CALLS]!;
    for (let index = 0; index < calls; index++) {
      const at = index * CALL_NUMBERS;
      const [name, count, units] = [this.#calls[at]!, this.#calls[at + 1]!, this.#calls[at + 2]!];
      const first = Math.floor((units * this.#thread) / this.#threads);
      const last = Math.floor((units * (this.#thread + 1)) / this.#threads);
      if (first === last) continue;
      const values = this.#calls.subarray(at + FIXED, at + FIXED + count);
      this.#call(NAMES[name]!, values, first, last);
    }
  }

  #call(name: SharedCall, given: Float64Array, first: number, last: number): void {
    const [a, b, c, d, e, f, g, h, i, j, k, l, m] = given as unknown as number[];
    const functions = this.#functions as unknown as Record<SharedCall, (...values: (number | undefined)[]) => void>;
    if (name === 'multiply') functions.multiply(a, b, c, d, e, f, g, first, last);
    else if (name === 'multiplyExact') functions.multiplyExact(a, b, c, d, e, f, g, first, last, this.#scratch);
    else functions.attend(a, b, c, d, e, f, g, h, i, j, k, l, m, this.#scratch, first, last);
  }
}
