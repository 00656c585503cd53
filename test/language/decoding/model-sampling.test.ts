/** Sampling by the model's own files: what each of their fields does to the tokens that are drawn. */
import { describe, expect, it } from 'vitest';
import {
  type GenerationRequest,
  plainGenerationRequest,
  type Sampling,
  type SamplingDefaults,
} from '../../../src/core/request/generation-request.js';
import { createTextModel } from '../../../src/language/decoding/create-text-model.js';
import { collectEvents, textOf } from '../../support/token-events.js';
import { fakeTextEngine } from './fake-text-engine.js';

/** Shares of `a` to `d` at temperature 1: 0.53, 0.32, 0.12 and 0.03. */
const LOGITS = [10, 9.5, 8.5, 7];

const DRAWS = 300;

/** How often each letter was drawn as the first token behind `prompt`. */
async function drawn(sampling: SamplingDefaults, request: Sampling = { byModel: true }, prompt = 'x') {
  const logits = (_: readonly number[], into: Float32Array): void => {
    for (const [place, logit] of LOGITS.entries()) into[97 + place] = logit;
  };
  const info = { device: 'none', threads: 1, sampling } as const;
  const model = createTextModel(fakeTextEngine({ logits }), { info, unload: async () => {} });
  const counts: Record<string, number> = {};
  for (let seed = 1; seed <= DRAWS; seed += 1) {
    const asked: GenerationRequest = {
      ...plainGenerationRequest('fake', { type: 'raw', text: prompt }),
      maxTokens: 1,
      sampling: { ...request, seed },
    };
    const text = textOf(await collectEvents(model.generate(asked, new AbortController().signal)));
    counts[text] = (counts[text] ?? 0) + 1;
  }
  return { counts, letters: Object.keys(counts).toSorted().join('') };
}

describe('[G12] what the model’s files ask for', () => {
  it('temperature', async () => {
    const plain = await drawn({ temperature: 1 });
    expect(plain.letters).toBe('abcd');
    const cold = await drawn({ temperature: 0.25 });
    expect(cold.counts['a']!).toBeGreaterThan(plain.counts['a']! * 1.4);
    const hot = await drawn({ temperature: 5 });
    expect(hot.counts['d']!).toBeGreaterThan(plain.counts['d']! * 2);
  });

  it('top_k', async () => {
    expect((await drawn({ temperature: 1, topK: 2 })).letters).toBe('ab');
    expect((await drawn({ temperature: 5, topK: 3 })).letters).toBe('abc');
  });

  it('top_p', async () => {
    expect((await drawn({ temperature: 1, topP: 0.5 })).letters).toBe('a');
    expect((await drawn({ temperature: 1, topP: 0.8 })).letters).toBe('ab');
  });

  it('min_p: tokens of less than this share of the likeliest are never drawn', async () => {
    // Compared with `a`: 0.61, 0.22 and 0.05.
    expect((await drawn({ temperature: 1, minP: 0.7 })).letters).toBe('a');
    expect((await drawn({ temperature: 1, minP: 0.3 })).letters).toBe('ab');
    expect((await drawn({ temperature: 1, minP: 0.1 })).letters).toBe('abc');
    expect((await drawn({ temperature: 1, minP: 0.01 })).letters).toBe('abcd');
    // After the temperature, which makes the shares more equal.
    expect((await drawn({ temperature: 5, minP: 0.5 })).letters).toBe('abcd');
  });

  it('repetition_penalty', async () => {
    const plain = await drawn({ temperature: 1 }, undefined, 'aaa');
    const { counts } = await drawn({ temperature: 1, repetitionPenalty: 1.3 }, undefined, 'aaa');
    expect(counts['a'] ?? 0).toBeLessThan(plain.counts['a']! / 3);
  });

  it('a seed repeats it, and a request of its own is not touched', async () => {
    const defaults = { temperature: 1, minP: 0.1 };
    expect(await drawn(defaults)).toEqual(await drawn(defaults));
    expect((await drawn({ temperature: 1, topK: 1, minP: 0.9 }, { temperature: 1 })).letters).toBe('abcd');
    expect((await drawn({ temperature: 5 }, {})).letters).toBe('a');
  });
});
