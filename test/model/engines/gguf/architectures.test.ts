import { describe, expect, it } from 'vitest';
import { referenceLogits } from './support/reference-decoder.js';
import { referenceOf } from './support/reference-of-file.js';
import { TINY_ARCHITECTURES, type TinyArchitectureName } from './support/tiny-architectures.js';
import { tinyContent, type TinyFile, tinyFile } from './support/tiny-file.js';
import { VARIANTS } from './support/tiny-variants.js';
import { logitsOfFile } from './support/logits-of-file.js';
import { someTokens } from './support/tiny-decoder.js';

const logProbabilities = (logits: ArrayLike<number>): number[] => {
  const all = Array.from(logits);
  const top = Math.max(...all);
  const sum = all.reduce((total, logit) => total + Math.exp(logit - top), 0);
  return all.map((logit) => logit - top - Math.log(sum));
};

async function expectEqual(options: TinyFile): Promise<void> {
  const tokens = someTokens(40);
  const found = await logitsOfFile(tinyFile(options), tokens);
  const expected = referenceLogits(referenceOf(tinyContent(options)), tokens);
  let worst = 0;
  for (const [row, logits] of found.entries()) {
    const wanted = logProbabilities(expected[row]!);
    logProbabilities(logits).forEach((value, token) => (worst = Math.max(worst, Math.abs(value - wanted[token]!))));
  }
  expect(worst).toBeLessThan(2e-4);
}

describe('[W04] with `fp32` each architecture computes what it should', () => {
  it.each(Object.keys(TINY_ARCHITECTURES) as TinyArchitectureName[])('%s', (architecture) =>
    expectEqual({ architecture }),
  );

  it.each(Object.entries(VARIANTS))('%s', (_, options) => expectEqual(options));
});
