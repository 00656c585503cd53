/**
 * One side of a comparison of speeds, in a process of its own: `ours FILE`, or `llama.cpp FILE [BUILD]`. For each message it reads a
 * prompt and writes an answer, on one thread, and sends what that took.
 * @module
 */
import { readFileSync } from 'node:fs';
import { PASS_ROWS } from '../../src/engines/gguf/forward.js';
import { KvPages, KvSequence } from '../../src/engines/gguf/kv-pages.js';
import { likeliest } from '../engines/gguf/support/log-probabilities.js';
import { openFile } from '../engines/gguf/support/logits-of-file.js';
import { FIXED_TEXT } from '../engines/gguf/support/perplexity.js';
import { headerOf } from '../engines/gguf/support/tiny-model.js';
import { openLlama } from '../llama-cpp/llama-cpp.js';
import { READ, type Spent, WRITTEN } from './speed-task.js';
import { createGgufTokenizer } from '../../src/engines/gguf/tokenizer/gguf-tokenizer.js';
import { readVocabulary } from '../../src/engines/gguf/tokenizer/vocabulary.js';

const secondsSince = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
};

async function promptOf(file: Uint8Array): Promise<number[]> {
  return createGgufTokenizer(readVocabulary(await headerOf(file)))
    .encodeText(FIXED_TEXT)
    .slice(0, READ);
}

async function openOurs(file: Uint8Array): Promise<() => Promise<Spent>> {
  const prompt = await promptOf(file);
  const { forward, shape, memory } = await openFile(file, { exact: false, isFast: true });
  const pages = new KvPages(memory, shape, 2 ** 28);
  return async () => {
    const kv = new KvSequence(pages);
    const read = (tokens: readonly number[], keep: number): Float32Array | undefined =>
      forward.run([{ tokens, kv, keep }])[0]![0];
    const start = process.cpuUsage();
    let logits: Float32Array | undefined;
    for (let from = 0; from < READ; from += PASS_ROWS)
      logits = read(prompt.slice(from, from + PASS_ROWS), from + PASS_ROWS < READ ? 0 : 1);
    const reading = secondsSince(start);
    for (let written = 0; written < WRITTEN; written++) logits = read([likeliest(logits!)], 1);
    kv.release();
    return { reading, writing: secondsSince(start) - reading };
  };
}

async function openTheirs(path: string, build: string | undefined): Promise<() => Promise<Spent>> {
  const prompt = await promptOf(new Uint8Array(readFileSync(path)));
  const llama = await openLlama(build);
  const model = await llama.loadModel({ modelPath: path, gpuLayers: 0 });
  const options = { contextSize: READ + 2 * WRITTEN, batchSize: READ, threads: 1, flashAttention: false };
  const sequence = (await model.createContext(options)).getSequence();
  return async () => {
    await sequence.clearHistory();
    const start = process.cpuUsage();
    let [made, reading] = [0, 0];
    for await (const _ of sequence.evaluate(prompt, { temperature: 0, yieldEogToken: true })) {
      // The first token comes with the prompt.
      if (made === 0) reading = secondsSince(start);
      if (made === WRITTEN) break;
      made += 1;
    }
    if (made < WRITTEN) throw new Error(`llama.cpp wrote ${made} tokens, not ${WRITTEN}.`);
    return { reading, writing: secondsSince(start) - reading };
  };
}

const [side, path, build] = process.argv.slice(2);
const run = side === 'ours' ? await openOurs(new Uint8Array(readFileSync(path!))) : await openTheirs(path!, build);
process.on('message', () => void run().then((spent) => process.send!(spent)));
process.send!('ready');
