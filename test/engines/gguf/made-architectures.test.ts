/** Architectures with layers of several kinds, compared with numbers of a forward pass in 64-bit floats (NumPy, outside). */
import { describe, expect, it } from 'vitest';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { planTextModel } from '../../../src/engines/gguf/assemble-text-model.js';
import { assembleReader, planReader } from '../../../src/engines/gguf/load-reading-model.js';
import { logProbabilities } from './support/log-probabilities.js';
import { logitsOfFile } from './support/logits-of-file.js';
import { MADE_PROMPT, madeFile } from './support/made-architectures.js';
import { MADE_DECODERS } from './support/made-decoders.js';
import { MADE_ENCODERS } from './support/made-encoders.js';
import { headerOf, piecesOf } from './support/tiny-model.js';
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

describe('[W29] with `fp32` vectors of each encoder are those that they should be', () => {
  it.each(Object.keys(MADE_ENCODERS))('%s', async (name) => {
    const entry: ModelEntry = { id: 'made', task: 'embeddings', backend: 'gguf', dtype: 'fp32' };
    const file = madeFile(name);
    const header = await headerOf(file);
    const source = {
      ...({} as Parameters<typeof assembleReader>[1]),
      header,
      plan: planReader(entry, header),
      description: {},
      weights: () => piecesOf(file.subarray(header.dataStart)) as AsyncGenerator<Uint8Array<ArrayBuffer>, void>,
    };
    const model = await assembleReader(entry, source, { onProgress: () => {} });
    const inputs = [MADE_PROMPT.slice(0, 50), MADE_PROMPT.slice(0, 9)];
    const { vectors } = await model.embed!({ model: 'made', inputs }, new AbortController().signal);
    const worst = Math.max(...EXPECTED[name]!.map((value, index) => Math.abs(value - vectors[0]![index]!)));
    expect(worst).toBeLessThan(5e-4);
    expect(() => planTextModel({ ...entry, task: 'chat' }, header)).toThrow(/is an encoder/);
  });
});
