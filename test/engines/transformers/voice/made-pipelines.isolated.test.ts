/** VITS and Supertonic with random weights, in the structure of published exports, against transformers.js's own pipeline. */
import { random } from '@huggingface/transformers';
import { afterEach, expect, it, vi } from 'vitest';
import { expectSame, floats, load, madeVits, pipelineSamples, speak } from './support/made-voice.js';
import { madeSupertonic } from './support/made-supertonic.js';

vi.mock('@huggingface/transformers', async () => (await import('../support/web-build.js')).webBuild());
afterEach(() => void vi.unstubAllGlobals());

/** Numbers that our noise becomes instead of its own, as long as there are any. */
const draws = vi.hoisted((): number[] => []);

vi.mock('../../../../src/language/sampling/random.js', async (original) => {
  const actual = await original<typeof import('../../../../src/language/sampling/random.js')>();
  return {
    ...actual,
    createRandomNumbers(seed: number, stream: number) {
      if (draws.length === 0) return actual.createRandomNumbers(seed, stream);
      // What Box and Muller make that normal number of: a radius, then an angle that is its sign.
      const pairs = draws.flatMap((draw) => [1 - Math.exp((-draw * draw) / 2), draw < 0 ? 0.5 : 0]).values();
      return () => pairs.next().value!;
    },
  };
});

it('[V02] VITS: gives the samples of the pipeline', async () => {
  const model = await load('vits', madeVits());
  expectSame(await speak(model), await pipelineSamples('vits'));
  await model.unload();
});

it('[V02] [V08] Supertonic: gives the samples of the pipeline from the same noise', async () => {
  const style = floats(12, (at) => Math.cos(at));
  const model = await load('supertonic', madeSupertonic(style));
  random.seed(42);
  draws.push(...Array.from({ length: 2 ** 14 }, () => random.gauss()));
  random.seed(42);
  const samples = await pipelineSamples('supertonic', { speaker_embeddings: style });
  expectSame(await speak(model), samples);
  draws.length = 0;
  expect(await speak(model, { seed: 8 })).not.toEqual(await speak(model, { seed: 7 }));
  await model.unload();
});
