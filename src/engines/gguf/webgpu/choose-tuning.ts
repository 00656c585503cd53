/** Which tuning of the shaders is faster on a GPU than the one for all GPUs, by what was measured there. @module */
import { DEFAULT_TUNING, type ShaderTuning } from './shaders/tuning.js';

/** Products with one row of activations, which an answer waits for; or with many, as prompts have them. */
export type TimedWork = 'row' | 'tile';

/** Seconds that a GPU takes for some work. */
export type MeasureTuning = (tuning: ShaderTuning, work: TimedWork) => Promise<number>;

/** A tuning is taken where it takes less than this part of another's time, twice in a row. */
const CLEARLY = 0.9;
/** Seconds of a GPU after which nothing more is tried. */
const MOST_SECONDS = 0.2;

/** What differs by less than a clear margin stays as it is on all GPUs. @throws what `measure` does */
export async function chooseTuning(measure: MeasureTuning): Promise<ShaderTuning> {
  let left = MOST_SECONDS;
  const timeOf = async (tuning: ShaderTuning, work: TimedWork): Promise<number> => {
    // Nothing is less than what was not measured, nor more.
    if (left <= 0) return Number.NaN;
    const seconds = await measure(tuning, work);
    left -= seconds;
    return seconds;
  };
  const isFaster = async (next: ShaderTuning, than: ShaderTuning, work: TimedWork): Promise<boolean> => {
    const first = { than: await timeOf(than, work), next: await timeOf(next, work) };
    if (!(first.next < CLEARLY * first.than)) return false;
    // In the other order: a GPU that wakes up, or gets too hot, prefers none.
    const second = { next: await timeOf(next, work), than: await timeOf(than, work) };
    return second.next < CLEARLY * second.than;
  };
  let chosen = DEFAULT_TUNING;
  for (const [work, change] of [
    ['row', { lanes: 32 }],
    ['row', { lanes: 64 }],
    ['tile', { halves: true }],
  ] as const) {
    const next = { ...chosen, ...change };
    if (await isFaster(next, chosen, work)) chosen = next;
  }
  return chosen;
}
