/**
 * One side of a comparison of speeds, in a process of its own: `ours FILE`, or `llama.cpp FILE [BUILD]`. For each message it reads a
 * prompt and writes an answer, on one thread, and sends what that took.
 * @module
 */
import { readFileSync } from 'node:fs';
import { createGgufTokenizer } from '../../src/engines/gguf/tokenizer/gguf-tokenizer.js';
import { readVocabulary } from '../../src/engines/gguf/tokenizer/vocabulary.js';
import { FIXED_TEXT } from '../engines/gguf/support/perplexity.js';
import { headerOf } from '../engines/gguf/support/tiny-model.js';
import { openLlama } from '../llama-cpp/llama-cpp.js';
import { openOurs, openTheirs, type Run, type TimedTask } from '../llama-cpp/time-sides.js';
import { READ, WRITTEN } from './speed-task.js';

async function openSide(side: string, path: string, build: string | undefined): Promise<Run> {
  const file = new Uint8Array(readFileSync(path));
  const tokens = createGgufTokenizer(readVocabulary(await headerOf(file))).encodeText(FIXED_TEXT);
  const task: TimedTask = { prompt: tokens.slice(0, READ), written: WRITTEN };
  if (side === 'ours') return openOurs(file, task);
  const { run } = await openTheirs(await openLlama(build), path, task, READ + 2 * WRITTEN);
  return run;
}

const [side, path, build] = process.argv.slice(2);
const run = await openSide(side!, path!, build);
process.on('message', () => void run().then((spent) => process.send!(spent)));
process.send!('ready');
