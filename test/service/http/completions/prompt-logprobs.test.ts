/** Log-probabilities of a prompt, on an engine whose logits are known. */
import { describe, expect, it } from 'vitest';
import type { Backend } from '../../../../src/core/models/backend.js';
import { createTextModel } from '../../../../src/language/decoding/create-text-model.js';
import { byteTokenizer, fakeTextEngine, VOCABULARY } from '../../../language/decoding/fake-text-engine.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { eventsOf, post } from '../support/call.js';

const PROMPT = 'Once upon à time';

/** After each token, the one with the next id is the likeliest, then the one after it. */
function counting(speculates: boolean, reads: number[] = []): Backend {
  return {
    load: async () =>
      createTextModel(
        fakeTextEngine({
          speculates,
          logits: (tokens, logits) => {
            reads.push(tokens.length);
            logits.fill(0);
            const last = tokens.at(-1) ?? 0;
            logits[(last + 1) % 128] = 6;
            logits[(last + 2) % 128] = 4;
          },
        }),
        { info: { device: 'none', threads: 1 }, unload: async () => {} },
      ),
  };
}

async function complete(fields: object, { hosted = true, speculates = true, reads = [] as number[] } = {}) {
  const { app } = await buildApp({
    compatibility: hosted ? 'hosted' : 'service',
    backends: { scripted: counting(speculates, reads) },
  });
  return post(app, '/v1/completions', {
    model: 'scripted-chat',
    prompt: PROMPT,
    max_tokens: 3,
    temperature: 0,
    ...fields,
  });
}

const normalizer = Math.log(Math.exp(6) + Math.exp(4) + (VOCABULARY - 2));

describe.each([true, false])('speculates: %s', (speculates) => {
  it.each([
    [{ logprobs: 2 }, true],
    [{ logprobs: true, top_logprobs: 2 }, false],
  ])('[T21] echo with %o gives those of the prompt, then of the answer', async (asked, hosted) => {
    const reads: number[] = [];
    const { json } = await complete({ echo: true, ...asked }, { hosted, speculates, reads });
    const [{ text, logprobs }] = json.choices;
    const bytes = new TextEncoder().encode(PROMPT);
    expect(text.startsWith(PROMPT)).toBe(true);
    expect(text).toHaveLength(PROMPT.length + 3);
    for (const list of ['tokens', 'token_logprobs', 'top_logprobs', 'text_offset'])
      expect([list, logprobs[list].length]).toEqual([list, bytes.length + 3]);
    expect([logprobs.token_logprobs[0], logprobs.top_logprobs[0]]).toEqual([null, null]);
    for (let index = 1; index < bytes.length; index += 1) {
      const logit =
        bytes[index] === (bytes[index - 1]! + 1) % 128 ? 6 : bytes[index] === (bytes[index - 1]! + 2) % 128 ? 4 : 0;
      expect(logprobs.token_logprobs[index]).toBeCloseTo(logit - normalizer, 4);
      expect(
        Object.values(logprobs.top_logprobs[index])
          .slice(0, 2)
          .map(Number)
          .toSorted((a, b) => b - a)[0],
      ).toBeCloseTo(6 - normalizer, 4);
    }
    // Of a character of two bytes the second one begins where the first did.
    const offsets: number[] = logprobs.text_offset;
    expect(offsets.slice(0, 3)).toEqual([0, 1, 2]);
    const place = PROMPT.indexOf('à');
    expect(offsets.slice(place, place + 3)).toEqual([place, place, place + 1]);
    expect(offsets.slice(-3)).toEqual([PROMPT.length, PROMPT.length + 1, PROMPT.length + 2]);
    expect(logprobs.token_logprobs.slice(-3)).toEqual([6, 6, 6].map((logit) => expect.closeTo(logit - normalizer, 4)));
    // Every token of the prompt is read once.
    expect(reads.filter((length) => length <= bytes.length)).toEqual(Array.from(bytes, (_, index) => index + 1));
    expect(json.usage).toMatchObject({ prompt_tokens: bytes.length, completion_tokens: 3 });
  });

  it('[T21] max_tokens: 0 writes nothing: the text is the echo, or empty', async () => {
    for (const hosted of [true, false]) {
      const scored = await complete({ echo: true, logprobs: true, max_tokens: 0 }, { hosted, speculates });
      expect([scored.status, scored.json.choices[0].text]).toEqual([200, PROMPT]);
      expect(scored.json.choices[0].logprobs.tokens).toHaveLength(new TextEncoder().encode(PROMPT).length);
      expect(scored.json.usage.completion_tokens).toBe(0);
      const silent = await complete({ max_tokens: 0 }, { hosted, speculates });
      expect([silent.json.choices[0].text, silent.json.choices[0].finish_reason]).toEqual(['', 'length']);
      const echoed = await complete({ echo: true, max_tokens: 0, stream: true }, { hosted, speculates });
      const events = eventsOf(echoed.text).flatMap(({ json }) => json?.choices ?? []);
      expect(events.map(({ text }) => text).join('')).toBe(PROMPT);
    }
  });

  it('[T21] each of several choices and prompts has its own', async () => {
    const { json } = await complete(
      {
        prompt: [
          [97, 98, 99],
          [97, 99],
        ],
        n: 2,
        echo: true,
        logprobs: 1,
      },
      { speculates },
    );
    const texts = ['abcdef', 'abcdef', 'acdef', 'acdef'];
    expect(json.choices.map(({ logprobs }: any) => logprobs.tokens.join(''))).toEqual(texts);
    expect(json.choices.map(({ text }: any) => text)).toEqual(texts);
    const [, logprob] = json.choices[2].logprobs.token_logprobs;
    expect(logprob).toBeCloseTo(4 - normalizer, 4);
  });
});

it('[T21] the first token of a text has one where a begin token stands before it', async () => {
  const tokenizer = { ...byteTokenizer, prefixTokens: [96] };
  const logits = (tokens: readonly number[], all: Float32Array): void => {
    all.fill(0);
    all[((tokens.at(-1) ?? 0) + 1) % 128] = 6;
  };
  const load = async () =>
    createTextModel(fakeTextEngine({ tokenizer, logits }), {
      info: { device: 'none', threads: 1 },
      unload: async () => {},
    });
  const { app } = await buildApp({ compatibility: 'hosted', backends: { scripted: { load } } });
  const body = { model: 'scripted-chat', prompt: 'abc', echo: true, logprobs: 1, max_tokens: 1, temperature: 0 };
  const { json } = await post(app, '/v1/completions', body);
  const [{ text, logprobs }] = json.choices;
  const expected = 6 - Math.log(Math.exp(6) + VOCABULARY - 1);
  expect([text, logprobs.tokens]).toEqual(['abcd', ['a', 'b', 'c', 'd']]);
  expect(logprobs.token_logprobs).toEqual([1, 2, 3, 4].map(() => expect.closeTo(expected, 4)));
  expect(logprobs.top_logprobs[0]).toEqual({ a: expect.closeTo(expected, 4) });
});

it('[T21] a scripted model has them, too', async () => {
  const { app } = await buildApp({ models: [scriptedChat()], compatibility: 'hosted' });
  const body = { model: 'scripted-chat', prompt: 'Once upon a time', echo: true, logprobs: 1 };
  const { json } = await post(app, '/v1/completions', body);
  const [{ text, logprobs }] = json.choices;
  expect(text).toBe('Once upon a timeHello there, friend.');
  expect(logprobs.tokens.join('')).toBe(text);
  expect(logprobs.token_logprobs.slice(1).every((each: unknown) => typeof each === 'number' && each <= 0)).toBe(true);
});

describe('logprobs as a count', () => {
  it('[G17] 0 to 5 in hosted: the chosen token and so many of the likeliest', async () => {
    for (const logprobs of [0, 1, 5]) {
      const { status, json } = await complete({ logprobs });
      expect(status).toBe(200);
      const lists = json.choices[0].logprobs;
      for (const [index, top] of lists.top_logprobs.entries()) {
        expect(top[lists.tokens[index]]).toBe(lists.token_logprobs[index]);
        expect(Object.keys(top).length).toBeGreaterThanOrEqual(Math.max(1, logprobs));
        expect(Object.keys(top).length).toBeLessThanOrEqual(logprobs + 1);
      }
    }
    for (const logprobs of [6, -1, 1.5, '1']) {
      const { status, json } = await complete({ logprobs });
      expect([logprobs, status, json.error.param]).toEqual([logprobs, 400, 'logprobs']);
    }
  });

  it('[G17] booleans stay as they are, and service takes nothing else', async () => {
    const { json } = await complete({ logprobs: true, top_logprobs: 1 });
    expect(Object.keys(json.choices[0].logprobs.top_logprobs[0])).toHaveLength(1);
    expect((await complete({ logprobs: false })).json.choices[0].logprobs).toBeNull();
    expect((await complete({ logprobs: 1 }, { hosted: false })).status).toBe(400);
  });

  it('[G23] temperature is 0 to 2 in hosted', async () => {
    expect((await complete({ temperature: 2 })).status).toBe(200);
    expect((await complete({ temperature: 2.1 })).json.error.param).toBe('temperature');
    expect((await complete({ temperature: 1.5 }, { hosted: false })).json.error.param).toBe('temperature');
  });
});

describe('suffix', () => {
  const fim = ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'];

  async function fill(tokens: readonly string[], compatibility: 'hosted' | 'service', fields: object = {}) {
    const seen: (readonly number[])[] = [];
    const own = fakeTextEngine();
    const addedTokens = new Map([
      ...own.tokenizer.addedTokens,
      ...tokens.map((text, index) => [text, 300 + index] as const),
    ]);
    const tokenizer = { ...own.tokenizer, vocabularySize: 310, addedTokens };
    const backend: Backend = {
      load: async () => {
        const engine = fakeTextEngine({ tokenizer });
        const open: typeof engine.open = (request) => {
          seen.push(request.promptTokens);
          return engine.open(request);
        };
        return createTextModel({ ...engine, open }, { info: { device: 'none', threads: 1 }, unload: async () => {} });
      },
    };
    const { app } = await buildApp({ compatibility, backends: { scripted: backend } });
    const body = { model: 'scripted-chat', prompt: 'ab', suffix: 'yz', max_tokens: 2, ...fields };
    return { answer: await post(app, '/v1/completions', body), seen };
  }

  it('[G23] is filled in where the tokenizer has tokens for it', async () => {
    for (const prompt of ['ab', [97, 98]]) {
      const { answer, seen } = await fill(fim, 'hosted', { prompt });
      expect([answer.status, answer.headers.get('x-ignored-fields')]).toEqual([200, null]);
      expect(seen).toEqual([[300, 97, 98, 301, 121, 122, 302]]);
    }
    expect((await fill(fim, 'hosted', { echo: true })).answer.json.error.param).toBe('echo');
  });

  it('[G23] [X28] else it is named, streamed or not, and always in service', async () => {
    for (const [tokens, compatibility] of [
      [[], 'hosted'],
      [fim, 'service'],
      [[], 'service'],
    ] as const) {
      for (const stream of [false, true]) {
        const { answer, seen } = await fill(tokens, compatibility, { stream });
        expect([answer.status, answer.headers.get('x-ignored-fields')]).toEqual([200, 'suffix']);
        expect(seen).toEqual([[97, 98]]);
      }
    }
  });
});
