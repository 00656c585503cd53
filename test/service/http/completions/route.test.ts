import { describe, expect, it } from 'vitest';
import type { App } from '../../../../src/service/http/app.js';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { post, postJson, postStream } from '../../../support/http-client.js';
import { readEvents } from '../../../support/read-events.js';

const TEXT = 'The quick brown fox jumps over the lazy dog.';

async function build(overrides: Partial<ModelEntry> = {}): Promise<App> {
  const { app } = await buildApp({ models: [scriptedChat({ script: { replies: [{ text: TEXT }] }, ...overrides })] });
  return app;
}

const valid = { model: 'scripted-chat', prompt: 'Once upon a time', temperature: 0 };

/** Posts a body that should be refused with 400; gives the `error`. */
async function refuse(body: object): Promise<any> {
  const { status, body: answer } = await postJson(await build(), '/completions', body);
  if (status !== 400) throw new Error(`Not refused: ${status} ${JSON.stringify(answer)}`);
  return answer.error;
}

async function complete(body: object = {}): Promise<any> {
  const answer = await postJson(await build(), '/completions', { ...valid, ...body });
  expect(answer.status).toBe(200);
  return answer.body;
}

/** Two tokens as likely as each other, above everything that the script says: bytes `A` and `B`. */
const COIN = { logit_bias: { 65: 100, 66: 100 }, max_tokens: 24 };

describe('fields', () => {
  it('[T01] model is a required string', async () => {
    expect((await refuse({ prompt: 'a' })).param).toBe('model');
    expect((await refuse({ model: 5, prompt: 'a' })).param).toBe('model');
  });

  it('[T02] prompt is required: a string, up to 64 of them, token ids, or arrays of these', async () => {
    expect((await refuse({ model: 'scripted-chat' })).param).toBe('prompt');
    for (const prompt of [7, null, [], Array(65).fill('a')]) {
      expect((await refuse({ ...valid, prompt })).param).toBe('prompt');
    }
    for (const prompt of [['a', 7], [[1], 'a'], [1, 'a'], [[]], [-1], [1.5]]) {
      expect((await refuse({ ...valid, prompt })).param).toMatch(/^prompt/);
    }
    for (const prompt of ['a', ['a'], [97], [[97], [98, 99]]]) {
      expect((await complete({ prompt })).choices[0].text).toBe(TEXT);
    }
    expect((await complete({ prompt: Array(64).fill('a'), max_tokens: 1 })).choices).toHaveLength(64);
  });

  it('[T02] token ids go to the model as they are, and must be of its vocabulary', async () => {
    const { choices, usage } = await complete({ prompt: [79, 110, 99, 101], echo: true });
    expect(choices[0].text).toBe(`Once${TEXT}`);
    expect(usage.prompt_tokens).toBe(4);
    expect(await refuse({ ...valid, prompt: [79, 99_999_999] })).toMatchObject({ param: 'prompt' });
    expect((await refuse({ ...valid, prompt: [[79], [99_999_999]] })).param).toBe('prompt.1');
  });

  it('[T04] temperature is 0 to 1', async () => {
    for (const temperature of [1.5, -0.1]) expect((await refuse({ ...valid, temperature })).param).toBe('temperature');
    for (const temperature of [0, 1, null]) expect((await complete({ temperature })).object).toBe('chat.completion');
  });

  it('[T06] top_p is 0 to 1', async () => {
    for (const top_p of [1.01, -0.01]) expect((await refuse({ ...valid, top_p })).param).toBe('top_p');
    for (const top_p of [0, 1]) expect((await complete({ top_p })).object).toBe('chat.completion');
  });

  it('[T07] top_k is 1 to 100', async () => {
    for (const top_k of [0, -1, 101, 1.5]) expect((await refuse({ ...valid, top_k })).param).toBe('top_k');
    for (const top_k of [1, 100]) expect((await complete({ top_k })).object).toBe('chat.completion');
  });

  it('[T08] the penalties are -2 to 2', async () => {
    for (const param of ['presence_penalty', 'frequency_penalty']) {
      for (const value of [-2.1, 2.1]) expect((await refuse({ ...valid, [param]: value })).param).toBe(param);
      expect((await complete({ [param]: 2 })).choices[0].text).toBe(TEXT);
    }
  });

  it('[T12] n is 1 to 8', async () => {
    for (const n of [0, 9]) expect((await refuse({ ...valid, n })).param).toBe('n');
    const { choices } = await complete({ n: 3 });
    expect(choices.map(({ index, text }: any) => [index, text])).toEqual([0, 1, 2].map((index) => [index, TEXT]));
  });

  it('[T13] top_logprobs is 0 to 20, and logprobs come when asked for', async () => {
    expect((await refuse({ ...valid, logprobs: true, top_logprobs: 21 })).param).toBe('top_logprobs');
    expect((await refuse({ ...valid, top_logprobs: 2 })).param).toBe('top_logprobs');
    const [{ text, logprobs }] = (await complete({ logprobs: true, top_logprobs: 2 })).choices;
    expect(logprobs.tokens.join('')).toBe(text);
    expect(logprobs.content.map(({ token }: any) => token)).toEqual(logprobs.tokens);
    expect(logprobs.token_logprobs.every((value: number) => value <= 0)).toBe(true);
    expect(Math.max(...logprobs.content.map(({ top_logprobs }: any) => top_logprobs.length))).toBe(2);
    logprobs.tokens.forEach((token: string, index: number) => {
      expect(text.slice(logprobs.text_offset[index])).toMatch(new RegExp(`^${token.replace('.', '\\.')}`));
    });
    expect((await complete()).choices[0].logprobs).toBeNull();
  });

  it('[T14] logit_bias is an object of values from -100 to 100, and takes effect', async () => {
    for (const value of [101, -101]) {
      const answer = await postJson(await build(), '/completions', { ...valid, logit_bias: { 65: value } });
      expect(answer.status).toBe(400);
      expect(answer.body.error.param).toMatch(/^logit_bias/);
    }
    expect((await refuse({ ...valid, logit_bias: [1] })).param).toBe('logit_bias');
    const { choices } = await complete({ logit_bias: { 65: 100 }, max_tokens: 3 });
    expect(choices[0].text).toBe('AAA');
  });

  it('[T18] stream is false by default, and stream_options is for streams', async () => {
    const app = await build();
    expect((await post(app, '/completions', valid)).headers.get('content-type')).toMatch(/json/);
    expect((await refuse({ ...valid, stream_options: { include_usage: true } })).param).toBe('stream_options');
    const streamed = await post(app, '/completions', { ...valid, stream: true });
    expect(streamed.headers.get('content-type')).toMatch(/^text\/event-stream/);
    await streamed.body!.cancel();
  });
});

describe('generation', () => {
  it('[T03] the response is a chat.completion of texts', async () => {
    const body = await complete();
    expect(body).toMatchObject({
      id: expect.stringMatching(/./),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'scripted-chat',
      system_fingerprint: expect.any(String),
      choices: [{ index: 0, text: TEXT, finish_reason: 'stop' }],
      usage: { is_last_response: true, stop_reason: 'stop' },
    });
    expect((await complete()).id).not.toBe(body.id);
  });

  it('[T19] [Q05] several prompts have n choices each, in order, counted through; usage is the sum', async () => {
    const replies = [{ match: 'first', text: 'One.' }, { match: 'second', text: 'Two and more.' }, { text: 'Other.' }];
    const app = await build({ script: { replies } });
    const ask = (body: object) => postJson(app, '/completions', { ...valid, n: 2, ...body });
    const { body, headers } = await ask({ prompt: ['the second', 'the first'] });
    const expected = ['Two and more.', 'Two and more.', 'One.', 'One.'];
    expect(body.choices.map(({ index, text }: any) => [index, text])).toEqual([...expected.entries()]);
    const before = Number(headers.get('x-ratelimit-remaining-requests'));
    const alone = [(await ask({ prompt: 'the second' })).body.usage, (await ask({ prompt: 'the first' })).body.usage];
    for (const count of ['prompt_tokens', 'completion_tokens', 'total_tokens']) {
      expect(body.usage[count]).toBe(alone[0][count] + alone[1][count]);
    }
    const after = await ask({ prompt: ['the second', 'the first'] });
    expect(before - Number(after.headers.get('x-ratelimit-remaining-requests'))).toBe(8);

    const stream = { ...valid, n: 2, prompt: ['the second', 'the first'], stream_options: { include_usage: true } };
    const events = await postStream(app, 'completions', stream);
    const texts: string[] = [];
    for (const { index, text } of events.flatMap(({ choices }) => choices)) texts[index] = (texts[index] ?? '') + text;
    expect(texts).toEqual(expected);
    expect(events.at(-1).usage.total_tokens).toBe(body.usage.total_tokens);
    expect((await ask({ prompt: ['fits', 'too long '.repeat(5000)] })).body.error).toMatchObject({
      code: 'context_length_exceeded',
      param: 'prompt.1',
    });
  });

  it('[T19] [C74] times are those of the whole, also when the first prompt gets no text', async () => {
    const replies = [{ match: 'silence', text: '' }, { text: TEXT }];
    const app = await build({ script: { replies, tokenDelayMs: 2 } });
    const { usage } = (await postJson(app, '/completions', { ...valid, prompt: ['silence', 'x', 'silence'] })).body;
    expect(usage.time_to_first_token).toBeGreaterThan(0);
    expect(usage.time_to_first_token).toBeLessThanOrEqual(usage.total_latency);
    expect(usage.total_latency).toBeCloseTo(usage.end_time - usage.start_time);
    expect(usage.completion_tokens_after_first_per_sec).toBeGreaterThan(0);
    const nothing = (await postJson(app, '/completions', { ...valid, prompt: ['silence', 'silence'] })).body.usage;
    expect(nothing).not.toHaveProperty('time_to_first_token');
    expect(nothing.completion_tokens).toBe(0);
  });

  it('[T20] echo puts the prompt before the text of each choice, streamed or not', async () => {
    const logprobs = { logprobs: true, top_logprobs: 1 };
    const { choices } = await complete({ prompt: ['Once ', 'Twice '], echo: true, n: 2, ...logprobs });
    expect(choices.map(({ text }: any) => text)).toEqual(['Once ', 'Once ', 'Twice ', 'Twice '].map((at) => at + TEXT));
    const events = await postStream(await build(), 'completions', { ...valid, prompt: 'Once ', echo: true });
    expect(events.map(({ choices: [choice] }) => choice.text).join('')).toBe(`Once ${TEXT}`);
    expect((await complete({ echo: false })).choices[0].text).toBe(TEXT);
  });

  it('[T05] without temperature it samples at 0.7', async () => {
    const app = await build();
    const texts = new Set<string>();
    for (const seed of [1, 2, 3, 4]) {
      const { body } = await postJson(app, '/completions', { ...valid, temperature: undefined, ...COIN, seed });
      expect(body.choices[0].text).toMatch(/^[AB]{24}$/);
      texts.add(body.choices[0].text);
    }
    expect(texts.size).toBeGreaterThan(1);
  });

  it('[T10] the caps cut the text, and max_completion_tokens wins', async () => {
    for (const [caps, tokens] of [
      [{ max_tokens: 3 }, 3],
      [{ max_tokens: 9, max_completion_tokens: 2 }, 2],
    ] as const) {
      const { choices, usage } = await complete(caps);
      expect(choices[0].finish_reason).toBe('length');
      expect(TEXT.startsWith(choices[0].text)).toBe(true);
      expect(usage.completion_tokens).toBe(tokens);
    }
  });

  it('[T11] stop ends the text before the sequence', async () => {
    expect((await complete({ stop: 'k brown' })).choices[0]).toMatchObject({ text: 'The quic', finish_reason: 'stop' });
    expect((await complete({ stop: ['lazy', ' fox'] })).choices[0].text).toBe('The quick brown');
    expect((await refuse({ ...valid, stop: ['1', '2', '3', '4', '5'] })).param).toBe('stop');
  });

  it('[T15] seed pins the output; do_sample false and temperature 0 are greedy', async () => {
    const pinned = { ...COIN, temperature: 1, seed: 11 };
    expect((await complete(pinned)).choices[0].text).toBe((await complete(pinned)).choices[0].text);
    const greedy = (await complete({ ...COIN, temperature: 0 })).choices[0].text;
    expect(new Set(greedy).size).toBe(1);
    for (const seed of [1, 2]) {
      expect((await complete({ ...COIN, temperature: 1, do_sample: false, seed })).choices[0].text).toBe(greedy);
    }
  });

  it('[T16] usage adds up', async () => {
    const { usage } = await complete();
    expect(usage.prompt_tokens).toBeGreaterThan(0);
    expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);
    expect(usage.completion_tokens_details.reasoning_tokens).toBe(0);
  });

  it('[T17] a prompt longer than the context is refused', async () => {
    const app = await build({ contextLength: 8 });
    const { status, body } = await postJson(app, '/completions', { ...valid, prompt: 'word '.repeat(40) });
    expect(status).toBe(400);
    expect(body.error.code).toBe('context_length_exceeded');
  });

  it('reads a raw prompt: tags in the text stay text', async () => {
    const app = await build({ reasoningFormat: 'think-tags', script: { replies: [{ text: '<think>a</think>b' }] } });
    const { body } = await postJson(app, '/completions', valid);
    expect(body.choices[0].text).toBe('<think>a</think>b');
  });

  it('refuses a model that generates no text', async () => {
    const app = await build({ task: 'embeddings' });
    expect(await postJson(app, '/completions', valid)).toMatchObject({
      status: 400,
      body: { error: { param: 'model', code: 'model_not_supported' } },
    });
  });
});

describe('[S15] streams', () => {
  it('are pieces of text that join to the whole', async () => {
    const chunks = await postStream(await build(), 'completions', valid);
    expect(chunks.length).toBeGreaterThan(3);
    expect(chunks.map(({ choices }) => choices[0].text).join('')).toBe(TEXT);
    expect(chunks.at(-1).choices[0].finish_reason).toBe('stop');
  });

  it('end with [DONE]', async () => {
    const response = await post(await build(), '/completions', { ...valid, stream: true });
    expect((await readEvents(response)).at(-1)).toEqual({ data: '[DONE]' });
  });

  it('carry several choices, usage and log-probabilities', async () => {
    const chunks = await postStream(await build(), 'completions', {
      ...valid,
      n: 2,
      logprobs: true,
      stream_options: { include_usage: true },
    });
    for (const index of [0, 1]) {
      const own = chunks.flatMap(({ choices }) => choices).filter((choice) => choice.index === index);
      expect(own.map(({ text }) => text).join('')).toBe(TEXT);
      const tokens = own.flatMap(({ logprobs }) => logprobs?.tokens ?? []);
      expect(tokens.join('')).toBe(TEXT);
    }
    expect(chunks.at(-1).usage.completion_tokens).toBeGreaterThan(0);
  });

  it('are well formed when the cap or a stop sequence ends them', async () => {
    const app = await build();
    const cut = await postStream(app, 'completions', { ...valid, max_tokens: 2 });
    expect(cut.at(-1).choices[0].finish_reason).toBe('length');
    const stopped = await postStream(app, 'completions', { ...valid, stop: 'fox' });
    expect(stopped.map(({ choices }) => choices[0].text).join('')).toBe('The quick brown ');
  });
});
