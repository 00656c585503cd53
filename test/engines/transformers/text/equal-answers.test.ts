/**
 * The table of equalities: a model in dynamic 8 bits says the same whoever else asks, whatever was guessed ahead, and
 * however much of the prompt was known.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { plainGenerationRequest, type GenerationRequest } from '../../../../src/core/request/generation-request.js';
import type { TextModel } from '../../../../src/language/decoding/create-text-model.js';
import { quantizeByRow } from '../../../../src/engines/transformers/onnx-file/quantize-by-row.js';
import type { OnnxSession } from '../../../../src/engines/transformers/ort/onnx-session.js';
import { describeBackend } from '../../../contract/backend-contract.js';
import { collectEvents, logprobsOf, piecesOf, textOf } from '../../../support/token-events.js';
import { smallModel, smallSession } from '../support/small-q8.js';

const PROMPTS = 50;
const TOKENS = 20;
/** So many run at a time. */
const TOGETHER = 20;

const WORDS = 'what is the capital of a river and why does it rain one two three one two three tell me more'.split(' ');

/** Different prompts of 4 to 180 tokens. */
const texts = Array.from({ length: PROMPTS }, (_, prompt) =>
  Array.from({ length: 1 + ((prompt * 7) % 36) }, (__, word) => WORDS[(prompt * 5 + word * word) % WORDS.length]).join(
    ' ',
  ),
);

type Sampling = (prompt: number) => Partial<GenerationRequest>;
const SAMPLINGS: Record<string, Sampling> = {
  greedy: () => ({}),
  'with a seed': (prompt) => ({ sampling: { temperature: 0.9, topP: 0.95, seed: prompt } }),
};

interface Said {
  tokens: (number | undefined)[];
  text: string;
  cached: number;
  /** Log-probabilities of all tokens that were looked at. */
  logprobs: number[];
}

async function say(model: TextModel, text: string, more: Partial<GenerationRequest>): Promise<Said> {
  const request = { ...plainGenerationRequest('model', { type: 'raw', text }), maxTokens: TOKENS, ...more };
  const events = await collectEvents(model.generate(request, new AbortController().signal));
  const prompt = events.find(({ type }) => type === 'prompt') as { cachedTokens: number };
  const logprobs = logprobsOf(events).flatMap(({ logprob, top }) => [logprob, ...top.map((each) => each.logprob)]);
  return {
    tokens: piecesOf(events).map(({ token }) => token),
    text: textOf(events),
    cached: prompt.cachedTokens,
    logprobs,
  };
}

/**
 * The same tokens. Log-probabilities may differ in the last bits of a float: attention adds in another order when it reads
 * several tokens at once.
 */
function expectSame(said: readonly Said[], expected: readonly Said[]): void {
  expect(said.map(({ tokens }) => tokens)).toEqual(expected.map(({ tokens }) => tokens));
  const far = said.flatMap(({ logprobs }, index) =>
    logprobs.filter((logprob, place) => Math.abs(logprob - expected[index]!.logprobs[place]!) > 2e-6),
  );
  expect(far).toEqual([]);
}

describe.each(Object.entries(SAMPLINGS))('%s: a model in dynamic 8 bits says what it says alone', (_, sampling) => {
  let session: OnnxSession;
  let alone: Said[];
  let detailed: Said[];
  const withLogprobs: Sampling = (prompt) => ({ ...sampling(prompt), topLogprobs: 3 });

  /** Each prompt by a model that has read nothing. */
  async function eachAlone(prompts: readonly string[], sample: Sampling, guesses = false): Promise<Said[]> {
    const said: Said[] = [];
    for (const [index, text] of prompts.entries()) {
      const model = smallModel(session, guesses);
      said.push(await say(model, text, sample(index)));
      await model.unload();
    }
    return said;
  }

  /** All by one model, so many at a time, some later than others. */
  async function together(model: TextModel, prompts: readonly string[], sample: Sampling): Promise<Said[]> {
    const said: Said[] = [];
    const waiting = [...prompts.entries()];
    const worker = async (late: number): Promise<void> => {
      for (let turn = 0; turn < late; turn++) await new Promise((resolve) => setTimeout(resolve));
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [index, text] = next;
        said[index] = await say(model, text, sample(index));
      }
    };
    await Promise.all(Array.from({ length: TOGETHER }, (__, index) => worker(index)));
    return said;
  }

  beforeAll(async () => {
    session = await smallSession([quantizeByRow], true);
    alone = await eachAlone(texts, sampling);
    detailed = await eachAlone(texts, withLogprobs);
    expect(new Set(alone.map(({ text }) => text)).size).toBeGreaterThan(PROMPTS / 2);
  });

  it('beside others', async () => {
    expectSame(await together(smallModel(session, false), texts, withLogprobs), detailed);
  });

  it('when its prompt is known', async () => {
    const model = smallModel(session, false);
    await together(model, texts, withLogprobs);
    const again = await together(model, texts, withLogprobs);
    expect(again.filter(({ cached }) => cached > 0).length).toBeGreaterThan(PROMPTS / 2);
    expectSame(again, detailed);
  });

  it('when another engine began to say it', async () => {
    for (const [index, text] of texts.entries()) {
      const model = smallModel(session, index % 2 === 0);
      const tokens = alone[index]!.tokens.slice(0, index % TOKENS) as number[];
      const said = await say(model, text, { ...sampling(index), begun: [{ tokens, ended: false }] });
      expectSame([said], [alone[index]!]);
      await model.unload();
    }
  });

  it('when a conversation goes on', async () => {
    const model = smallModel(session, false);
    const first = await together(model, texts, withLogprobs);
    const next = texts.map((text, index) => `${text}${first[index]!.text} and then?`);
    const on = await together(model, next, withLogprobs);
    expect(on.filter(({ cached }) => cached > 0).length).toBeGreaterThan(PROMPTS / 2);
    expectSame(on, await eachAlone(next, withLogprobs));
  });

  it('with tokens guessed ahead, alone and beside others', async () => {
    expectSame(await eachAlone(texts, sampling, true), alone);
    expectSame(await together(smallModel(session, true), texts, sampling), alone);
  });
});

describeBackend('a small model in dynamic 8 bits', {
  load: async () => smallModel(await smallSession([quantizeByRow], true), true),
});
