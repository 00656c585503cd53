import { describe, expect, it } from 'vitest';
import { farthest } from './support/log-probabilities.js';
import { referenceLogits } from './support/reference-decoder.js';
import { referenceOf } from './support/reference-of-file.js';
import { TINY_ARCHITECTURES, type TinyArchitectureName } from './support/tiny-architectures.js';
import { tinyContent, type TinyFile, tinyFile } from './support/tiny-file.js';
import { VARIANTS } from './support/tiny-variants.js';
import { logitsOfFile } from './support/logits-of-file.js';
import { someTokens } from './support/tiny-decoder.js';

async function expectEqual(options: TinyFile): Promise<void> {
  const tokens = someTokens(40);
  const found = await logitsOfFile(tinyFile(options), tokens);
  const expected = referenceLogits(referenceOf(tinyContent(options)), tokens);
  const worst = Math.max(...found.map((logits, row) => farthest(logits, expected[row]!)));
  expect(worst).toBeLessThan(2e-4);
}

describe('[W04] with `fp32` each architecture computes what it should', () => {
  it.each(Object.keys(TINY_ARCHITECTURES) as TinyArchitectureName[])('%s', (architecture) =>
    expectEqual({ architecture }),
  );

  it.each(Object.entries(VARIANTS))('%s', (_, options) => expectEqual(options));
});
