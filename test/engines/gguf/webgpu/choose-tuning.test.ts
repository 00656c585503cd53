import { describe, expect, it } from 'vitest';
import { chooseTuning, type TimedWork } from '../../../../src/engines/gguf/webgpu/choose-tuning.js';
import { DEFAULT_TUNING, type ShaderTuning } from '../../../../src/engines/gguf/webgpu/shaders/tuning.js';

/** Milliseconds of a GPU by what it does. */
interface Gpu {
  row: Record<16 | 32 | 64, number>;
  tile: { floats: number; halves: number };
  /** What a measurement is multiplied by, in its turn. */
  noise?: (turn: number) => number;
}

async function chosenOn({
  row,
  tile,
  noise = () => 1,
}: Gpu): Promise<{ chosen: ShaderTuning; ms: number; turns: number }> {
  let [ms, turns] = [0, 0];
  const measure = async ({ lanes, halves }: ShaderTuning, work: TimedWork): Promise<number> => {
    const own = (work === 'row' ? row[lanes] : halves ? tile.halves : tile.floats) * noise(turns);
    turns += 1;
    ms += own;
    return own / 1000;
  };
  return { chosen: await chooseTuning(measure), ms, turns };
}

const SAME = { row: { 16: 8, 32: 8, 64: 8 }, tile: { floats: 8, halves: 8 } };

describe('[W63] the tuning of shaders', () => {
  it.each<[string, Partial<Gpu>, Partial<ShaderTuning>]>([
    ['nothing is faster', {}, {}],
    ['a little is not enough', { row: { 16: 8, 32: 7.5, 64: 7.4 }, tile: { floats: 8, halves: 7.3 } }, {}],
    ['more sums are faster', { row: { 16: 8, 32: 6, 64: 5 } }, { lanes: 64 }],
    ['twice as many are enough', { row: { 16: 8, 32: 6, 64: 5.8 } }, { lanes: 32 }],
    ['only many are faster', { row: { 16: 8, 32: 8, 64: 6 } }, { lanes: 64 }],
    ['halves are faster', { tile: { floats: 8, halves: 6 } }, { halves: true }],
    ['both are', { row: { 16: 8, 32: 6, 64: 8 }, tile: { floats: 8, halves: 6 } }, { lanes: 32, halves: true }],
  ])('%s', async (_, gpu, expected) => {
    const { chosen } = await chosenOn({ ...SAME, ...gpu });
    expect(chosen).toEqual({ ...DEFAULT_TUNING, ...expected });
  });

  it.each<[string, (turn: number) => number]>([
    ['that gets faster while it wakes up', (turn) => 0.85 ** turn],
    ['that gets slower while it is hot', (turn) => 1.15 ** turn],
    ['that had something else to do once', (turn) => (turn === 0 ? 3 : 1)],
    ['whose clock says nothing', () => Number.NaN],
    ['whose clock stands', () => 0],
  ])('is the one for all GPUs on one %s', async (_, noise) => {
    expect((await chosenOn({ ...SAME, noise })).chosen).toEqual(DEFAULT_TUNING);
  });

  it('[W71] takes 0.2 s of a GPU, and at most one measurement more', async () => {
    const slow = { row: { 16: 90, 32: 60, 64: 40 }, tile: { floats: 90, halves: 40 } };
    // What was not measured twice is not taken.
    expect(await chosenOn(slow)).toEqual({ chosen: DEFAULT_TUNING, turns: 3, ms: 210 });
    const slower = { row: { 16: 900, 32: 600, 64: 400 }, tile: SAME.tile };
    expect(await chosenOn(slower)).toMatchObject({ chosen: DEFAULT_TUNING, turns: 1 });
    const middling = { row: { 16: 40, 32: 30, 64: 20 }, tile: SAME.tile };
    expect(await chosenOn(middling)).toMatchObject({ chosen: { lanes: 32 } });
  });

  it('is not chosen where measuring fails', async () => {
    await expect(chooseTuning(() => Promise.reject(new Error('It burns.')))).rejects.toThrow('It burns.');
  });
});
