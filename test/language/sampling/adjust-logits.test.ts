import { describe, expect, it } from 'vitest';
import { LogitAdjuster } from '../../../src/language/sampling/adjust-logits.js';
import { logProbabilities } from '../../../src/language/sampling/adjust-logits.js';

describe('LogitAdjuster', () => {
  it('adds biases and ignores tokens that do not exist', () => {
    const logits = Float32Array.of(1, 2, 3);
    new LogitAdjuster({ logitBias: { 0: 100, 2: -100, 9: 5 } }, [], 3).adjust(logits);
    expect([...logits]).toEqual([101, 2, -97]);
  });

  it('penalises tokens of prompt and output once, towards less likely', () => {
    const adjuster = new LogitAdjuster({ repetitionPenalty: 2 }, [0, 0, 7], 4);
    adjuster.accept(1);
    adjuster.accept(1);
    const logits = Float32Array.of(4, -4, 4, -4);
    adjuster.adjust(logits);
    expect([...logits]).toEqual([2, -8, 4, -4]);
  });
});

describe('logProbabilities', () => {
  it('gives the log-softmax, the best first, lower ids first among equals', () => {
    const logits = Float32Array.of(1, 3, 3, -Infinity, 2);
    const { normalizer, top } = logProbabilities(logits, 4);
    const sum = [1, 3, 3, 2].reduce((total, logit) => total + Math.exp(logit), 0);
    expect(normalizer).toBeCloseTo(Math.log(sum), 6);
    expect(top.map(({ token }) => token)).toEqual([1, 2, 4, 0]);
    expect(top.reduce((total, { logprob }) => total + Math.exp(logprob), 0)).toBeCloseTo(1, 6);
    expect(logProbabilities(logits, 0).top).toEqual([]);
    expect(logProbabilities(logits, 20).top).toHaveLength(4);
  });

  it('is never above 0 and does not overflow', () => {
    const { top } = logProbabilities(Float32Array.of(-1e4, 3e38, 1), 3);
    expect(top[0]).toEqual({ token: 1, logprob: 0 });
  });
});
