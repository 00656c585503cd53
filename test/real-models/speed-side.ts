/**
 * One side of a comparison of speeds, in a process of its own: `ours FILE`, `plain FILE` (without relaxed SIMD), or
 * `llama.cpp FILE THREADS [BUILD]`. For each message it reads a prompt and writes an answer, and sends what that took.
 * @module
 */
import { readFileSync } from 'node:fs';
import { openLlama } from '../llama-cpp/llama-cpp.js';
import { openOurs, openTheirs, type Run, type TimedTask } from '../llama-cpp/time-sides.js';
import { promptFor, READ, WRITTEN } from './speed-task.js';

async function openSide(side: string, path: string, threads: number, build: string | undefined): Promise<Run> {
  const file = new Uint8Array(readFileSync(path));
  const task: TimedTask = { prompt: await promptFor(file), written: WRITTEN, threads };
  if (side !== 'llama.cpp') return openOurs(file, task, { isFast: side === 'ours' });
  const { run } = await openTheirs(await openLlama(build), path, task, READ + 2 * WRITTEN);
  return run;
}

const [side, path, threads = '1', build] = process.argv.slice(2);
const run = await openSide(side!, path!, Number(threads), build);
process.on('message', () => void run().then((spent) => process.send!(spent)));
process.send!('ready');
