/** What a prompt and the answer behind it take, on this project's engine and on llama.cpp: one thread, processor time. @module */
import { PASS_ROWS } from '../../src/engines/gguf/forward.js';
import { KvPages, KvSequence } from '../../src/engines/gguf/kv-pages.js';
import { likeliest } from '../engines/gguf/support/log-probabilities.js';
import { openFile } from '../engines/gguf/support/logits-of-file.js';
import type { Llama } from './llama-cpp.js';

/** Processor seconds of the prompt, and of what is written behind it. */
export interface Spent {
  reading: number;
  writing: number;
}

/** What is read, and how many tokens are then written. */
export interface TimedTask {
  prompt: readonly number[];
  written: number;
}

export type Run = () => Promise<Spent>;

function secondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

export async function openOurs(file: Uint8Array, { prompt, written }: TimedTask): Promise<Run> {
  const { forward, shape, memory } = await openFile(file, { exact: false, isFast: true });
  const pages = new KvPages(memory, shape, 2 ** 28);
  return async () => {
    const kv = new KvSequence(pages);
    const read = (tokens: readonly number[], keep = 1): number | undefined => {
      const [logits] = forward.run([{ tokens, kv, keep }])[0]!;
      return logits && likeliest(logits);
    };
    const start = process.cpuUsage();
    let next: number | undefined;
    for (let from = 0; from < prompt.length; from += PASS_ROWS)
      next = read(prompt.slice(from, from + PASS_ROWS), from + PASS_ROWS < prompt.length ? 0 : 1);
    const reading = secondsSince(start);
    for (let made = 0; made < written; made++) next = read([next!]);
    const spent = { reading, writing: secondsSince(start) - reading };
    kv.release();
    return spent;
  };
}

/** @param contextSize of llama.cpp, in tokens */
export async function openTheirs(
  llama: Llama,
  modelPath: string,
  { prompt, written }: TimedTask,
  contextSize: number,
): Promise<{ run: Run; close(): Promise<void> }> {
  const model = await llama.loadModel({ modelPath, gpuLayers: 0 });
  const context = await model.createContext({ contextSize, batchSize: 512, threads: 1, flashAttention: false });
  const sequence = context.getSequence();
  return {
    async run() {
      await sequence.clearHistory();
      const start = process.cpuUsage();
      let [made, reading] = [0, 0];
      for await (const _ of sequence.evaluate(prompt, { temperature: 0, yieldEogToken: true })) {
        // The first token comes with the prompt.
        if (made === 0) reading = secondsSince(start);
        if (made === written) break;
        made += 1;
      }
      if (made < written) throw new Error(`llama.cpp wrote ${made} tokens, not ${written}.`);
      return { reading, writing: secondsSince(start) - reading };
    },
    close: () => model.dispose(),
  };
}
