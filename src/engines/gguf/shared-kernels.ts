/** The kernels as a forward pass calls them: what is worth it is shared between threads. @module */
import type { KernelExports } from './kernel-exports.js';
import type { KernelMemory } from './kernel-memory.js';
import type { Kernels } from './load-kernels.js';
import { startThreads } from './start-threads.js';
import { JOB_BYTES, type SharedCall, ThreadJobs } from './thread-jobs.js';

/** What a product is called with, but its share: kind, out, stride, weights, activations, rows, columns. */
type Product = readonly [...ProductArguments];
type ProductArguments = Parameters<KernelExports['multiply']> extends [...infer Rest, number, number] ? Rest : never;

/** What attention is called with, but scratch and share. */
type Attention = readonly [...AttentionArguments];
type AttentionArguments =
  Parameters<KernelExports['attend']> extends [...infer Rest, number, number, number] ? Rest : never;

/** A call and its units, of which threads compute some each. */
type Share = readonly [SharedCall, Product | Attention, number];

export class SharedKernels {
  readonly functions: KernelExports;
  readonly memory: KernelMemory;
  readonly #module: WebAssembly.Module;
  /** Of each thread. */
  readonly #scratch: number[];
  /** Undefined with one thread. */
  #jobs: ThreadJobs | undefined;
  #endThreads: (() => void) | undefined;

  /**
   * @param positions of the longest sequence
   * @param columns of the widest matrix
   * @param threads that may be started
   */
  constructor({ functions, memory, module }: Kernels, positions: number, columns: number, threads = 1) {
    this.functions = functions;
    this.memory = memory;
    this.#module = module;
    const bytes = Math.max(4 * (positions + 16) + 2 * columns, 16 * columns) * 4;
    this.#scratch = Array.from({ length: threads }, () => memory.allocate(bytes));
  }

  /** Threads that run. */
  get threads(): number {
    return this.#jobs ? this.#scratch.length : 1;
  }

  /** Starts the other threads, on shared memory. @throws Error when they do not run in time */
  async startThreads(): Promise<void> {
    const threads = this.#scratch.length;
    const jobs = this.memory.allocate(JOB_BYTES);
    const start = { module: this.#module, memory: this.memory.memory, jobs, threads };
    const [own, ...others] = this.#scratch as [number, ...number[]];
    this.#endThreads = await startThreads(others.map((scratch, index) => ({ ...start, thread: index + 1, scratch })));
    const { buffer } = this.memory.memory;
    this.#jobs = new ThreadJobs(buffer, jobs, this.functions, { thread: 0, threads, scratch: own });
  }

  /** Ends the other threads. */
  dispose(): void {
    this.#endThreads?.();
    this.#jobs = undefined;
  }

  /**
   * Runs independent calls, at most three.
   * @throws Error when a thread does not answer
   */
  run(calls: readonly Share[]): void {
    if (this.#jobs) {
      this.#jobs.run(calls);
      return;
    }
    for (const [name, values, units] of calls) {
      if (name === 'multiply') this.functions.multiply(...(values as Product), 0, units);
      else if (name === 'multiplyExact')
        this.functions.multiplyExact(...(values as Product), 0, units, this.#scratch[0]!);
      else this.functions.attend(...(values as Attention), this.#scratch[0]!, 0, units);
    }
  }
}
