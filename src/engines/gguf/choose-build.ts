/** Which of the kernels' builds is right and the fastest in this browser, on this processor. @module */
import { probe } from 'virtual:gguf-kernels';
import { isNode } from '../../core/platform/is-node.js';

/** How the kernels were compiled (`.ci/gguf-kernels/arithmetic.ts` says why there are three). */
export type KernelBuild = 'relaxed' | 'pairs' | 'plain';

/** What an app is told of a build that is slower than others; undefined: nothing. */
export function warningOf(build: KernelBuild): string | undefined {
  if (build !== 'plain') return undefined;
  const [name, advice] = isNode() ? ['Node', ' Node 22 or later has it.'] : ['browser', ''];
  return `This ${name} has no relaxed SIMD yet, so prompts take about twice as long.${advice}`;
}

/** The first V8 that computes in the order of the program (Turboshaft). Node 22 has 12.4, Node 24 has 13.6. */
const FIRST_IN_ORDER = 13;

/**
 * Products take a third less time in Node 22 and before if rows are finished one after the other, and up to a tenth more elsewhere.
 * Browsers brought the newer V8 in 2024.
 */
export function isFasterByRow(): boolean {
  const { process } = globalThis as { process?: { versions?: { v8?: string } } };
  return Number.parseInt(process?.versions?.v8 ?? String(FIRST_IN_ORDER)) < FIRST_IN_ORDER;
}

/** What the program `kernels/probe.ts` exports. */
export interface Probe {
  isRight(): number;
  isFused(): number;
  fours(rounds: number): number;
  twos(rounds: number): number;
}

/** Rounds of a call: some microseconds. */
const ROUNDS = 500;
/** How long calls are counted; long beside the clock's steps, which are of 1 ms in some browsers. */
const WINDOW_MS = 3;
/** Browsers optimize a program while it runs: its first windows show the time before. */
const MIN_WINDOWS = 3;
const MAX_WINDOWS = 8;
/** A count that is greater by less than this part is no sign of optimizing. */
const STEADY = 0.05;

let chosen: Promise<KernelBuild> | undefined;

/** Finds out once. Takes some 25 ms. */
export function chooseBuild(): Promise<KernelBuild> {
  chosen ??= startProbe().then((program) => (program ? fasterBuild(program) : 'plain'));
  return chosen;
}

/** By what the last bits of a result differ between browsers and processors. */
export async function probeRounding(build: KernelBuild): Promise<string> {
  if (build === 'plain') return 'plain';
  return (await startProbe())?.isFused() ? 'fused' : 'relaxed';
}

/** Undefined without relaxed SIMD. */
export async function startProbe(): Promise<Probe | undefined> {
  if (!WebAssembly.validate(probe)) return undefined;
  const { instance } = await WebAssembly.instantiate(probe);
  return instance.exports as unknown as Probe;
}

/**
 * @param clock milliseconds
 * @returns `plain` when relaxed instructions compute something else here, before or after the browser optimized them
 */
export function fasterBuild(program: Probe, clock = (): number => performance.now()): KernelBuild {
  if (!program.isRight()) return 'plain';
  let [fours, twos] = [0, 0];
  for (let window = 0, steady = false; window < MIN_WINDOWS || (!steady && window < MAX_WINDOWS); window++) {
    const most = [
      callsInWindow(() => program.fours(ROUNDS), clock),
      callsInWindow(() => program.twos(ROUNDS), clock),
    ] as const;
    steady = most[0] <= fours * (1 + STEADY) && most[1] <= twos * (1 + STEADY);
    // The most of all windows: other programs that want the processor make a count lower, never higher.
    fours = Math.max(fours, most[0]);
    twos = Math.max(twos, most[1]);
  }
  if (!program.isRight()) return 'plain';
  return fours >= twos ? 'relaxed' : 'pairs';
}

/** Calls between two steps of the clock. */
function callsInWindow(call: () => void, clock: () => number): number {
  const before = clock();
  let start = before;
  while (start === before) {
    call();
    start = clock();
  }
  let calls = 0;
  while (clock() < start + WINDOW_MS) {
    call();
    calls += 1;
  }
  return calls;
}
