/**
 * `npm run check:gpu [-- --out FILE] [-- --minutes 9]`: what a machine with a GPU is asked, in one text that can be pasted. Tests of the
 * shaders run first, then the bench in Node and in Chromium, last the long tests, each in a process of its own with a time to end. Nothing is installed,
 * downloaded or built: `npm run build` comes before. Where there is no GPU all of it runs, small, on one in software.
 * @module
 */
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { anyGpu } from '../../engines/gguf/support/software-gpu.js';

const root = join(import.meta.dirname, '../../..');
const BENCH = [process.execPath, '.ci/run-ts.mjs', 'test/bench/run-bench.ts', '--only'];

interface Step {
  name: string;
  command: readonly string[];
  /** Of the time that is left. */
  share: number;
  /** It needs a GPU in Node. */
  isInNode?: boolean;
  /** All tests, which take hours on a GPU in software. */
  isLong?: boolean;
}
const TESTS = [
  process.execPath,
  'node_modules/vitest/vitest.mjs',
  'run',
  '--project',
  'unit',
  'test/engines/gguf/webgpu',
];
const STEPS: readonly Step[] = [
  { name: 'tests of the shaders', command: TESTS, share: 0.3, isInNode: true },
  { name: 'the engine in Node', command: [...BENCH, 'gpu-engine'], share: 0.4, isInNode: true },
  { name: 'beside others in Chromium', command: [...BENCH, 'gpu-peers'], share: 0.8 },
  { name: 'all tests of the shaders', command: TESTS, share: 1, isLong: true },
];

/** Milliseconds for browsers to close. */
const CLOSING_MS = 10_000;

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};
const file = option('out') ?? 'gpu-check.txt';
const end = Date.now() + 60_000 * Number(option('minutes') ?? 9);

function say(text: string): void {
  process.stdout.write(text);
  appendFileSync(file, text);
}

/** What a program prints, if it is here. */
function saidBy(command: string, ...args: string[]): string {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'unknown';
  }
}

/** @returns whether it ended well, in time */
async function take({ name, command: [program, ...args], share, isLong }: Step, own: boolean): Promise<boolean> {
  const limit = Math.max(0, end - Date.now()) * share;
  const started = Date.now();
  say(`\n== ${name} (at most ${Math.round(limit / 1000)} s)\n`);
  const child = spawn(program!, args, {
    cwd: root,
    // A group of its own, with what it starts.
    detached: true,
    env: { ...process.env, NO_COLOR: '1', ...(own && { INPAGE_OWN_GPU: '1' }), ...(isLong && { LONG_RUNS: '1' }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', say);
  // Browsers are closed at the first signal, and would outlive the second.
  const timers = (['SIGTERM', 'SIGKILL'] as const).map((signal, index) =>
    setTimeout(() => process.kill(-child.pid!, signal), limit + index * CLOSING_MS),
  );
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve));
  for (const timer of timers) clearTimeout(timer);
  // What was said last; a browser that outlives it may hold the pipe open.
  await delay(500);
  const took = Date.now() - started;
  const how = code === 0 ? 'done' : took < limit ? `FAILED with code ${code}` : 'FAILED: ended by its limit';
  say(`-- ${how} after ${Math.round(took / 1000)} s\n`);
  return code === 0;
}

writeFileSync(file, '');
const found = await anyGpu();
const own = found !== undefined && !found.adapter.info.isFallbackAdapter;
say(`${new Date().toISOString()}, commit ${saidBy('git', 'rev-parse', '--short', 'HEAD')}, Node ${process.version}\n`);
say(`driver: ${saidBy('nvidia-smi', '--query-gpu=name,driver_version,memory.total', '--format=csv,noheader')}\n`);
say(
  `GPU in Node: ${own ? "the machine's own" : found ? 'in software: no number below is a speed of a GPU' : 'none'}\n`,
);
for (const step of STEPS) {
  if (!own && step.isLong) continue;
  if (!found && step.isInNode)
    say(`\n== ${step.name}\nSKIPPED: there is no Chromium here whose adapter in software Node could take for a GPU.\n`);
  else if (!(await take(step, own))) process.exitCode = 1;
}
say(`\nall of this is in ${file}\n`);
process.exit();
