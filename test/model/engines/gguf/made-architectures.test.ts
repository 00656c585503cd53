/** Architectures with layers of several kinds, compared with numbers of a forward pass in 64-bit floats (NumPy, outside). */
import { describe, expect, it } from 'vitest';
import { logProbabilities } from './support/log-probabilities.js';
import { logitsOfFile } from './support/logits-of-file.js';
import { MADE_DECODERS, MADE_PROMPT, madeFile } from './support/made-architectures.js';
import recorded from './support/made-architectures.json' with { type: 'json' };

/** Of each prompt's token behind the first. */
async function foundOf(file: Uint8Array): Promise<number[]> {
  const logits = await logitsOfFile(file, MADE_PROMPT);
  return MADE_PROMPT.slice(1).map((token, index) => logProbabilities(logits[index]!)[token]!);
}

const EXPECTED: Readonly<Record<string, readonly number[]>> = recorded;

describe('[W25] [W26] [W28] [W35] with `fp32` each architecture computes what it should', () => {
  it.each(Object.keys(MADE_DECODERS))('%s', async (name) => {
    const found = await foundOf(madeFile(name));
    const worst = Math.max(...found.map((value, index) => Math.abs(value - EXPECTED[name]![index]!)));
    expect(worst).toBeLessThan(2e-3);
  });
});
