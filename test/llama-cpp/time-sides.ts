/** What a prompt and the answer behind it take, on this project's engine and on llama.cpp: one thread, processor time. @module */
import { openLoop } from './engine-loop.js';
import type { Llama } from './llama-cpp.js';

/** Seconds of the prompt, and of what is written behind it: of processors; with more threads than one by the clock, as they spin while they wait. */
export interface Spent {
  reading: number;
  writing: number;
}

/** What is read, and how many tokens are then written. */
export interface TimedTask {
  prompt: readonly number[];
  written: number;
  /** Of llama.cpp; this project's engine has one in Node. By default 1. */
  threads?: number;
}

export type Run = () => Promise<Spent>;

/** @returns the seconds since now */
function startClock(threads: number): () => number {
  if (threads > 1) {
    const start = performance.now();
    return () => (performance.now() - start) / 1000;
  }
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
}

/** @param options.isFast the kernels are the fastest that run here, else those without relaxed SIMD */
export async function openOurs(
  file: Uint8Array,
  { prompt, written }: TimedTask,
  options: { isFast?: boolean } = {},
): Promise<Run> {
  const loop = await openLoop(file, options);
  return async () => {
    const seconds = startClock(1);
    loop.read(prompt);
    const reading = seconds();
    loop.write(written);
    return { reading, writing: seconds() - reading };
  };
}

/** @param contextSize of llama.cpp, in tokens */
export async function openTheirs(
  llama: Llama,
  modelPath: string,
  { prompt, written, threads = 1 }: TimedTask,
  contextSize: number,
): Promise<{ run: Run; close(): Promise<void> }> {
  const model = await llama.loadModel({ modelPath, gpuLayers: 0 });
  const context = await model.createContext({ contextSize, batchSize: 512, threads, flashAttention: false });
  const sequence = context.getSequence();
  return {
    async run() {
      await sequence.clearHistory();
      const seconds = startClock(threads);
      let [made, reading] = [0, 0];
      for await (const _ of sequence.evaluate(prompt, { temperature: 0, yieldEogToken: true })) {
        // The first token comes with the prompt.
        if (made === 0) reading = seconds();
        if (made === written) break;
        made += 1;
      }
      if (made < written) throw new Error(`llama.cpp wrote ${made} tokens, not ${written}.`);
      return { reading, writing: seconds() - reading };
    },
    close: () => model.dispose(),
  };
}
