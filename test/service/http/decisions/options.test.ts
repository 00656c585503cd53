import { describe, expect, it } from 'vitest';
import { choiceOptions, confidenceOf, meanLevel, mostLikely } from '../../../../src/service/http/decisions/options.js';

const textsOf = (...values: (string | boolean)[]): string[] =>
  choiceOptions(values.map((value) => ({ value, description: undefined }))).map(({ text }) => text);

describe('what is read for a value', () => {
  it('[D05] values as they are, booleans as words', () => {
    expect(textsOf('red', 'blue', true, false)).toEqual(['red', 'blue', 'true', 'false']);
  });

  it('[D05] a string that reads like another value stands in double quotes', () => {
    expect(textsOf('true', true)).toEqual(['"true"', 'true']);
    expect(textsOf(false, 'false', '"false"')).toEqual(['false', '"false"', '""false""']);
    // Alone it needs none.
    expect(textsOf('true', 'false')).toEqual(['true', 'false']);
  });
});

describe('what follows from probabilities', () => {
  it('[D04] confidence is 0 for equal shares and 1 for certainty', () => {
    expect(confidenceOf([0.25, 0.25, 0.25, 0.25])).toBeCloseTo(0, 12);
    expect(confidenceOf([0, 1, 0])).toBe(1);
    expect(confidenceOf([1])).toBe(1);
    expect(confidenceOf([0.0125, 0.9781, 0.0093])).toBeCloseTo(0.8906, 3);
  });

  it('[D04] the first of equally likely ones, and the mean of the levels', () => {
    expect(mostLikely([0.1, 0.45, 0.45])).toBe(1);
    expect(meanLevel([0.1, 0.2, 0.7])).toBeCloseTo(1.6, 12);
  });
});
