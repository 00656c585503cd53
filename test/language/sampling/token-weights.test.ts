import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  minPCutoff,
  FARTHEST,
  shareOf,
  to32Bits,
  unitsBelow,
  unitsPerLogit,
  weightAt,
} from '../../../src/language/sampling/token-weights.js';

const BEST = weightAt(0);

describe('weights of tokens', () => {
  it('are to the best as their probabilities, and never grow with the distance', () => {
    const distance = fc.double({ min: 0, max: 21, noNaN: true });
    fc.assert(
      fc.property(distance, fc.double({ min: 0.01, max: 2, noNaN: true }), (nats, temperature) => {
        const logit = Math.fround(-nats * temperature);
        const units = Math.trunc(unitsBelow(0, logit, unitsPerLogit(temperature)));
        const expected = Math.exp(logit / temperature);
        expect(Math.abs(weightAt(units) / BEST - expected)).toBeLessThan(expected * 5e-6 + 2 ** -31);
        expect(weightAt(units + 1)).toBeLessThanOrEqual(weightAt(units));
      }),
      { numRuns: 2000, examples: [[0, 1]] },
    );
    expect(weightAt(FARTHEST)).toBe(1);
    expect(unitsBelow(0, -Infinity, unitsPerLogit(1))).toBeGreaterThan(FARTHEST);
  });

  it('end where min_p says', () => {
    for (const minP of [1, 0.5, 0.1, 0.001]) expect(weightAt(minPCutoff(minP)) / BEST).toBeCloseTo(minP, 5);
    expect(minPCutoff(0)).toBe(FARTHEST);
  });

  it('have shares that are exact', () => {
    const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.maxSafeInteger().map(Math.abs), share, (total, part) => {
        expect(BigInt(shareOf(total, part))).toBe((BigInt(total) * BigInt(to32Bits(part))) >> 32n);
      }),
      { numRuns: 2000, examples: [[Number.MAX_SAFE_INTEGER, 1 - 2 ** -53]] },
    );
  });
});
