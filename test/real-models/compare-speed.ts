/**
 * Speed on files that people have, this project's engine in Chromium and in each version of Node beside llama.cpp, its best build and that
 * for vectors of 256 bits: `npm run test:real-models-speed [-- --node PATH]… [-- --before FOLDER] [-- --file FILE]…`. In turns, the best
 * of the rounds: one thread each in processor time, then two (where an engine has them) by the clock. `--node` adds another Node than this
 * one, `--before` another checkout of this repository in this Node, `--file` takes other files than the published weights.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename, resolve } from 'node:path';
import type { Run, Spent } from '../llama-cpp/time-sides.js';
import { buildSpeedPage, openPageSide } from './open-page-side.js';
import { type RealModel, realModels } from './real-models.js';
import { READ, WRITTEN } from './speed-task.js';

const ROUNDS = 5;
/** What of the processor llama.cpp's builds and relaxed SIMD depend on. */
const FLAGS = /^(?:avx2|fma|f16c|avx512f|avx512_vnni|avx512_bf16|avx_vnni|amx_int8)$/;
const flags = (/^flags\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1]!.split(' ') ?? []).filter((flag) =>
  FLAGS.test(flag),
);
/** llama.cpp's build for vectors of 256 bits that this processor can run. */
const OF_256_BITS = flags.includes('avx_vnni') ? 'alderlake' : 'haswell';

/** Someone that reads and writes. */
interface Side {
  name: string;
  run: Run;
  close(): Promise<void>;
}

const given = (flag: string): string[] =>
  process.argv.flatMap((value, at) => (process.argv[at - 1] === `--${flag}` ? [value] : []));

async function openSide(
  name: string,
  args: readonly string[],
  { node = process.execPath, root = '.' }: { node?: string; root?: string } = {},
): Promise<Side> {
  const options = { execPath: node, cwd: resolve(root) };
  const child = fork(resolve(root, '.ci/run-ts.mjs'), ['test/real-models/speed-side.ts', ...args], options);
  await messageOf(child, name);
  return {
    name,
    run() {
      const answer = messageOf<Spent>(child, name);
      child.send('run');
      return answer;
    },
    close: async () => void child.kill(),
  };
}

function messageOf<Message>(child: ChildProcess, name: string): Promise<Message> {
  return new Promise((resolved, reject) => {
    const failed = (code: number | null): void => reject(new Error(`${name} ended with ${code}.`));
    child.once('exit', failed);
    child.once('message', (message) => {
      child.off('exit', failed);
      resolved(message as Message);
    });
  });
}

const openChromium = async (path: string, threads: number): Promise<Side> => ({
  name: 'Chromium',
  ...(await openPageSide(path, threads)),
});

const versionOf = (node: string): string => execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1);

function openSides(path: string, threads: number): Promise<Side[]> {
  const native = ['llama.cpp', path, String(threads)];
  const peers = [openSide('llama.cpp', native), openSide(OF_256_BITS, [...native, OF_256_BITS])];
  const page = openChromium(path, threads);
  if (threads > 1) return Promise.all([...peers, page]);
  const nodes = [process.execPath, ...given('node')];
  const newest = nodes.at(-1)!;
  return Promise.all([
    ...peers,
    page,
    ...nodes.map((node) => openSide(`Node ${versionOf(node)}`, ['ours', path], { node })),
    openSide(`Node ${versionOf(newest)} without relaxed SIMD`, ['plain', path], { node: newest }),
    ...given('before').map((root) =>
      openSide(`Node ${versionOf(newest)} before`, ['ours', path], { node: newest, root }),
    ),
  ]);
}

async function compare({ name: file, path }: RealModel, threads: number): Promise<void> {
  const sides = await openSides(path, threads);
  const best = new Map(sides.map(({ name }) => [name, { reading: Infinity, writing: Infinity }]));
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { name, run } of sides) {
      const spent = await run();
      const least = best.get(name)!;
      if (round === 0) continue;
      least.reading = Math.min(least.reading, spent.reading);
      least.writing = Math.min(least.writing, spent.writing);
    }
  }
  await Promise.all(sides.map(({ close }) => close()));
  const [native, of256] = [best.get('llama.cpp')!, best.get(OF_256_BITS)!];
  for (const [name, { reading, writing }] of best) {
    const rates = [(READ / reading).toFixed(0), (WRITTEN / writing).toFixed(1)];
    const ratios = [native, of256].flatMap((peer) => [peer.reading / reading, peer.writing / writing]);
    console.warn(`| ${[file, name, ...rates, ...ratios.map((ratio) => ratio.toFixed(2))].join(' | ')} |`);
  }
}

function printHead(threads: number): void {
  const how = threads === 1 ? 'One thread, processor time' : `${threads} threads, by the clock`;
  console.warn(`\n${how}:\n`);
  const peers = [`prompt ÷ llama.cpp | written`, `prompt ÷ ${OF_256_BITS} | written`].join(' | ');
  console.warn(`| file | side | prompt of ${READ}, tokens/s | ${WRITTEN} written, tokens/s | ${peers} |`);
  console.warn('| --- | --- | --- | --- | --- | --- | --- | --- |');
}

await buildSpeedPage();
console.warn(`${cpus()[0]!.model}; ${flags.join(', ')}`);
const files = given('file').map((path) => ({ name: basename(path), path: resolve(path) }));
const models = files.length > 0 ? files : realModels();
for (const threads of [1, 2]) {
  printHead(threads);
  for (const model of models) await compare(model, threads);
}
