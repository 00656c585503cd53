/**
 * Products of the GGUF engine's kernels beside what the processor does at most: relaxed dot products of numbers that stay in registers.
 * In this process, one thread, in processor time, in turns.
 * @module
 */
import { fasterBuild, startProbe } from '../../../src/engines/gguf/choose-build.js';
import type { TensorKind } from '../../../src/engines/gguf/file/tensor-kinds.js';
import { activationBytes } from '../../../src/engines/gguf/kernel-exports.js';
import { type Kernels, loadKernels } from '../../../src/engines/gguf/load-kernels.js';
import { groupsOf } from '../../../src/engines/gguf/packed-kinds.js';
import { WeightPacker } from '../../../src/engines/gguf/weights.js';
import { place, wave } from '../../engines/gguf/support/kernel-inputs.js';
import { quantize } from '../../engines/gguf/support/quantize.js';
import type { BenchRow } from '../bench-row.js';

/** What files in `Q4_0`, `Q4_1`, `Q8_0`, `Q4_K_M`, `Q5_K_M` and `Q6_K` hold. */
const KINDS: readonly TensorKind[] = ['Q4_0', 'Q4_1', 'Q5_0', 'Q8_0', 'Q4_K', 'Q5_K', 'Q6_K'];
/** Rows of a prompt's pass, and of a step of one answer. */
const ROWS = { prompt: 64, 'one row': 1 } as const;
/** Of a prompt's products, of the limit. */
const GOAL = 0.7;
/** A matrix that caches hold: what is measured is arithmetic. */
const [HEIGHT, COLUMNS] = [256, 1024];

/** Multiplications of a round of `Probe.fours` and `Probe.twos`. */
const OF_ROUND = 8 * 16;
const ROUNDS = 20_000;
/** Seconds of a measurement, and how many there are: the best one counts. */
const [LEAST_SECONDS, TURNS] = [0.02, 7];

/** @throws Error without relaxed SIMD */
export async function kernelRows(): Promise<BenchRow[]> {
  const probe = await startProbe();
  if (!probe) throw new Error('This Node has no relaxed SIMD: take Node 22 or later.');
  const build = fasterBuild(probe);
  const kernels = await loadKernels(build);
  const limit = (): void => void (build === 'pairs' ? probe.twos(ROUNDS) : probe.fours(ROUNDS));
  const rows: BenchRow[] = [];
  for (const kind of KINDS) {
    for (const [name, count] of Object.entries(ROWS)) {
      const { multiply, multiplications } = product(kernels, kind, count);
      let [ours, peer] = [0, 0];
      for (let turn = 0; turn < TURNS; turn++) {
        ours = Math.max(ours, multiplications / nanosecondsOf(multiply));
        peer = Math.max(peer, (OF_ROUND * ROUNDS) / nanosecondsOf(limit));
      }
      const goal = name === 'prompt' ? GOAL : 0;
      rows.push({ name: `kernels, ${kind}, ${name}`, ours, peer, ratio: ours / peer, goal, unit: `× / ns, ${build}` });
    }
  }
  return rows;
}

/** Of a call, in processor time. */
function nanosecondsOf(call: () => void): number {
  call();
  const start = process.cpuUsage();
  for (let calls = 1; ; calls++) {
    call();
    const { user, system } = process.cpuUsage(start);
    const spent = (user + system) / 1e6;
    if (spent >= LEAST_SECONDS) return (spent * 1e9) / calls;
  }
}

function product(kernels: Kernels, kind: TensorKind, rows: number): { multiply: () => void; multiplications: number } {
  const { functions, memory } = kernels;
  const writer = new WeightPacker(kernels).begin({ name: kind, kind, rows: HEIGHT, columns: COLUMNS });
  writer.write(quantize(kind, wave(HEIGHT * COLUMNS, 0.77)));
  const weights = writer.finish();
  const x = place(kernels, wave(rows * COLUMNS, 0.37));
  const activations = memory.allocate(activationBytes(rows, COLUMNS));
  const out = memory.allocate(rows * HEIGHT * 4);
  functions.quantize(activations, x, rows, COLUMNS);
  return {
    multiplications: rows * HEIGHT * COLUMNS,
    multiply: () =>
      functions.multiply(weights.kind, out, HEIGHT, weights.at, activations, rows, COLUMNS, 0, groupsOf(HEIGHT)),
  };
}
