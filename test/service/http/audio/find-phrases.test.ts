import { describe, expect, it } from 'vitest';
import { PhraseFinder } from '../../../../src/service/http/audio/find-phrases.js';
import { soundOf } from '../support/sounds.js';

const RATE = 16_000;

/** Gives the sound in pieces of that many samples. */
function find(sound: Float32Array, piece = 700) {
  const finder = new PhraseFinder(RATE);
  const phrases = [];
  for (let at = 0; at < sound.length; at += piece) phrases.push(...finder.push(sound.subarray(at, at + piece)));
  phrases.push(...finder.end());
  return { phrases, seconds: finder.seconds };
}

const spans = (sound: Float32Array, piece?: number): [number, number][] =>
  find(sound, piece).phrases.map(({ samples, start }) => [start, start + samples.length / RATE]);

describe('phrases of a sound that goes on', () => {
  it.each([0, 0.002, 0.02])('are found between pauses, with noise of %s', (noise) => {
    // A microphone hears its room for a while before somebody speaks.
    const lead = 8;
    const found = spans(soundOf(RATE, [-lead, 1, -1.5, 0.5, -1], noise));
    const [first, second, ...others] = found.slice(-2);
    expect(others).toEqual([]);
    expect(first![0]).toBeGreaterThan(lead - 0.4);
    expect(first![0]).toBeLessThanOrEqual(lead);
    expect(first![1]).toBeGreaterThan(lead + 0.99);
    expect(first![1]).toBeLessThan(lead + 1.7);
    expect(second![0]).toBeGreaterThan(lead + 2.1);
    expect(second![0]).toBeLessThanOrEqual(lead + 2.5);
  });

  it('are the same however the samples come', () => {
    const sound = soundOf(RATE, [-0.5, 1, -1, 2, -1]);
    expect(spans(sound)).toHaveLength(2);
    for (const piece of [1, 33, 320, 5_000, sound.length]) expect(spans(sound, piece)).toEqual(spans(sound));
  });

  it('are none in silence, noise and clicks', () => {
    expect(spans(soundOf(RATE, [-5]))).toEqual([]);
    expect(spans(soundOf(RATE, [-20], 0.003))).toEqual([]);
    expect(spans(soundOf(RATE, [-1, 0.03, -2, 0.03, -2]))).toEqual([]);
  });

  it('end with the sound', () => {
    const { phrases, seconds } = find(soundOf(RATE, [-1, 1]));
    expect(phrases).toHaveLength(1);
    expect(seconds).toBeCloseTo(2, 3);
  });

  it('are cut where it is quiet when nobody pauses, and nothing is lost', () => {
    // Syllables of 0.3 seconds, and 0.1 between them.
    const found = spans(soundOf(RATE, [...Array.from({ length: 90 }, () => [0.3, -0.1]).flat(), -1]));
    expect(found).toHaveLength(2);
    expect(found[0]![1]).toBeGreaterThan(20);
    expect(found[0]![1]).toBeLessThanOrEqual(28);
    expect((found[0]![1] + 0.01) % 0.4).toBeGreaterThan(0.3);
    expect(found[1]![0]).toBeCloseTo(found[0]![1], 6);
    expect(found[1]![1]).toBeGreaterThan(36);
  });
});
