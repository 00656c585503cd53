/**
 * Speed on files that people have, this project's engine in each version of Node beside llama.cpp, its best build and that for vectors of
 * 256 bits: `npm run test:real-models-speed [-- --node PATH]… [-- --file FILE]…`. One thread each, in turns, in processor time, the
 * best of the rounds. `--node` adds another Node than this one, `--file` takes other files than the published weights.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename, join } from 'node:path';
import type { Spent } from '../llama-cpp/time-sides.js';
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
  measure(): Promise<Spent>;
  end(): void;
}

const given = (flag: string): string[] =>
  process.argv.flatMap((value, at) => (process.argv[at - 1] === `--${flag}` ? [value] : []));

async function openSide(name: string, args: readonly string[], node = process.execPath): Promise<Side> {
  const script = join(import.meta.dirname, 'speed-side.ts');
  const child = fork('.ci/run-ts.mjs', [script, ...args], { execPath: node });
  await messageOf(child, name);
  return {
    name,
    async measure() {
      const answer = messageOf<Spent>(child, name);
      child.send('run');
      return answer;
    },
    end: () => void child.kill(),
  };
}

function messageOf<Message>(child: ChildProcess, name: string): Promise<Message> {
  return new Promise((resolve, reject) => {
    const failed = (code: number | null): void => reject(new Error(`${name} ended with ${code}.`));
    child.once('exit', failed);
    child.once('message', (message) => {
      child.off('exit', failed);
      resolve(message as Message);
    });
  });
}

function openSides({ path }: RealModel): Promise<Side[]> {
  const nodes = [process.execPath, ...given('node')];
  return Promise.all([
    openSide('llama.cpp', ['llama.cpp', path]),
    openSide(OF_256_BITS, ['llama.cpp', path, OF_256_BITS]),
    ...nodes.map((node) => {
      const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1);
      return openSide(`Node ${version}`, ['ours', path], node);
    }),
  ]);
}

async function compare(model: RealModel): Promise<void> {
  const sides = await openSides(model);
  const best = new Map(sides.map(({ name }) => [name, { reading: Infinity, writing: Infinity }]));
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { name, measure } of sides) {
      const spent = await measure();
      const least = best.get(name)!;
      if (round === 0) continue;
      least.reading = Math.min(least.reading, spent.reading);
      least.writing = Math.min(least.writing, spent.writing);
    }
  }
  for (const { end } of sides) end();
  const [native, of256] = [best.get('llama.cpp')!, best.get(OF_256_BITS)!];
  for (const [name, { reading, writing }] of best) {
    const rates = [(READ / reading).toFixed(0), (WRITTEN / writing).toFixed(1)];
    const ratios = [native, of256].flatMap((peer) => [peer.reading / reading, peer.writing / writing]);
    console.warn(`| ${[model.name, name, ...rates, ...ratios.map((ratio) => ratio.toFixed(2))].join(' | ')} |`);
  }
}

console.warn(`${cpus()[0]!.model}; ${flags.join(', ')}\n`);
console.warn(
  `| file | side | prompt of ${READ}, tokens/s | ${WRITTEN} written, tokens/s | prompt ÷ llama.cpp | written | prompt ÷ ${OF_256_BITS} | written |`,
);
console.warn('| --- | --- | --- | --- | --- | --- | --- | --- |');
const files = given('file').map((path) => ({ name: basename(path), path }));
for (const model of files.length > 0 ? files : realModels()) await compare(model);
