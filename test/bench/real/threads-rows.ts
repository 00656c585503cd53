/** The GGUF engine with two threads beside one, by the clock and in processor time. @module */
import type { Browser } from 'playwright';
import { type BenchRow, median } from '../bench-row.js';
import { openPage, ROUNDS, seconds } from './measure.js';
import { type Call, text } from './real-page.js';

/** Two threads are to be so many times as fast as one, so they may take so much more processor time together. */
const GOAL = 1.7;
const MOST_TIME = 1.18;

const PROMPT = 540;
const TOKENS = 33;

const THREADS = [1, 2] as const;
type Threads = (typeof THREADS)[number];

/** What one thread and two took, in each round: seconds by the clock, and of all processors. */
type Measured = Record<Threads, { clock: number[]; computed: number[] }>;

const nothing = (): Measured => ({ 1: { clock: [], computed: [] }, 2: { clock: [], computed: [] } });

/** Both read and write the same, in turns: the bits of an answer do not depend on threads. */
export async function* threadRows(browser: Browser, origin: string, file: string): AsyncGenerator<BenchRow> {
  const { page, call } = await openPage(browser, origin);
  for (const threads of THREADS) await call('loadThreads', threads, file);
  const [reading, writing] = [nothing(), nothing()];
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    const prompt = text(PROMPT);
    const answers: string[] = [];
    for (const threads of THREADS) {
      const read = await timed(call, threads, prompt, 1);
      // What was read is known.
      const written = await timed(call, threads, prompt, TOKENS);
      answers.push(written.tokens.join());
      if (round === 0) continue;
      for (const [{ clock, computed }, spent] of [
        [reading[threads], read],
        [writing[threads], written],
      ] as const) {
        clock.push(spent.clock);
        computed.push(spent.computed);
      }
    }
    if (answers[0] !== answers[1]) throw new Error('Two threads wrote something else than one.');
  }
  yield* rowsOf(`prompt of ${PROMPT}`, reading, PROMPT);
  yield* rowsOf('decode', writing, TOKENS);
  await page.context().close();
}

async function timed(
  call: Call,
  threads: Threads,
  prompt: string,
  most: number,
): Promise<{ tokens: readonly number[]; clock: number; computed: number }> {
  let [tokens, clock]: [number[], number] = [[], 0];
  const computed = await seconds(async () => {
    ({ tokens, seconds: clock } = await call('generateThreads', threads, prompt, most));
  });
  return { tokens, clock, computed };
}

function* rowsOf(what: string, { 1: one, 2: two }: Measured, tokens: number): Generator<BenchRow> {
  const name = `Q4_0, ${what}, two threads over one`;
  const [clock, computed] = (['clock', 'computed'] as const).map((which) => ({
    ours: median(two[which]),
    peer: median(one[which]),
  })) as [Record<'ours' | 'peer', number>, Record<'ours' | 'peer', number>];
  const [ours, peer] = [tokens / clock.ours, tokens / clock.peer];
  yield { name: `${name}, by the clock`, ours, peer, ratio: ours / peer, goal: GOAL, unit: 'tokens/s' };
  const ratio = computed.ours / computed.peer;
  yield { name: `${name}: processor time`, ...computed, ratio, goal: MOST_TIME, unit: 's', lower: true };
}
