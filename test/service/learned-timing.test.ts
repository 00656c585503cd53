import { describe, expect, it } from 'vitest';
import { LearnedTiming } from '../../src/service/learned-timing.js';
import { answeringModelTiming } from '../../src/relay/stream/call-timing.js';

/** As by default: the app waits ten minutes for a first token. */
const learn = (): LearnedTiming => new LearnedTiming(answeringModelTiming(600));

/** Seconds of silence after which a worker is stuck: the beat that is one too many. */
const patience = ({ silentBeats, beat }: LearnedTiming): number => ((silentBeats + 1) * beat) / 1_000;

describe('the silence that a model may need', () => {
  it('is long before its first answer: a slow machine may read a long prompt', () => {
    const timing = learn();
    expect(patience(timing)).toBeGreaterThan(300);
    timing.received(0, false);
    expect(patience(timing)).toBeGreaterThan(300);
  });

  it('is at most 30 s once it has answered like a fast one', () => {
    const timing = learn();
    timing.received(0, true);
    expect(patience(timing)).toBeLessThanOrEqual(30);
  });

  it('grows with the longest pass so far, of whatever call, and never shrinks', () => {
    const timing = learn();
    let last = 0;
    for (const beats of [0, 2, 5, 1, 0]) {
      timing.received(beats, true);
      expect(timing.silentBeats).toBeGreaterThanOrEqual(Math.max(last, 5 * beats));
      last = timing.silentBeats;
    }
    timing.received(1_000, true);
    expect(patience(timing)).toBeLessThan(310);
  });

  it('is never longer than what the app waits', () => {
    const timing = new LearnedTiming(answeringModelTiming(15));
    timing.received(3, true);
    expect(timing.silentBeats).toBe(answeringModelTiming(15).silentBeats);
  });
});
