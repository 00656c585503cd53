import { expect, it } from 'vitest';
import type { App } from '../../../../src/service/http/app.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { postJson } from '../../../support/http-client.js';
import { embedder } from '../support/models.js';

const build = async (): Promise<App> =>
  (await buildApp({ models: [embedder, scriptedChat({ aliases: ['chat'], contextLength: 512 })] })).app;

async function tokenize(body: object, app?: App): Promise<any> {
  const answer = await postJson(app ?? (await build()), '/tokenize', body);
  expect(answer.status).toBe(200);
  return answer.body;
}

async function textOf(tokens: number[], app: App): Promise<string> {
  const answer = await postJson(app, '/detokenize', { tokens });
  expect(answer.status).toBe(200);
  expect(Object.keys(answer.body)).toEqual(['prompt']);
  return answer.body.prompt;
}

it("a text's tokens are counted and have texts where asked", async () => {
  const app = await build();
  const answer = await tokenize({ model: 'chat', prompt: 'The fox, 12.', return_token_strs: true }, app);
  expect(answer).toEqual({
    count: 5,
    max_model_len: 512,
    tokens: expect.any(Array),
    token_strs: ['The', ' fox', ',', ' 12', '.'],
  });
  expect(answer.tokens).toHaveLength(5);
  expect((await tokenize({ prompt: 'The fox, 12.' }, app)).token_strs).toBeNull();
});

it.each(['', 'The fox.', 'Emoji \u{1f98a}\u{fe0f}, 中文, é', '\ufeffmark', '<|im_start|>user\nHi<|im_end|>'])(
  'tokens of %j are its text again',
  async (prompt) => {
    const app = await build();
    const { tokens, count } = await tokenize({ prompt }, app);
    expect(count).toBe(tokens.length);
    expect(await textOf(tokens, app)).toBe(prompt);
  },
);

it('texts may be longer than the context of their model', async () => {
  expect((await tokenize({ prompt: 'fox '.repeat(1000) })).count).toBeGreaterThan(512);
});

it('a conversation has the tokens that its answer is charged for', async () => {
  const app = await build();
  const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];
  const asked = { messages: [{ role: 'user', content: 'Hello.' }], tools };
  const { count, tokens } = await tokenize({ ...asked, add_generation_prompt: true, add_special_tokens: false }, app);
  const { body } = await postJson(app, '/chat/completions', { model: 'scripted-chat', ...asked });
  expect(count).toBe(body.usage.prompt_tokens);
  const text = await textOf(tokens, app);
  expect(text).toContain('<|im_start|>user\nHello.');
  expect(text).toContain('weather');
  const without = await tokenize({ messages: asked.messages }, app);
  expect(without.count).toBeLessThan(count);
});

it("an assistant's turn goes on", async () => {
  const app = await build();
  const messages = [
    { role: 'user', content: 'Hello.' },
    { role: 'assistant', content: 'Good' },
  ];
  const { tokens } = await tokenize({ messages, continue_final_message: true }, app);
  expect(await textOf(tokens, app)).toMatch(/Good$/);
});

it.each([
  [{}, 'prompt', 'missing_required_field'],
  [{ prompt: 'a', messages: [{ role: 'user', content: 'a' }] }, 'messages', null],
  [{ prompt: 5 }, 'prompt', null],
  [{ messages: [] }, 'messages', null],
  [{ messages: [{ role: 'user', content: 'a' }], add_special_tokens: true }, 'add_special_tokens', null],
  [{ messages: [{ role: 'user', content: 'a' }], add_generation_prompt: false }, 'add_generation_prompt', null],
  [{ messages: [{ role: 'user', content: 'a' }], chat_template: 'x' }, 'chat_template', null],
  [{ messages: [{ role: 'user', content: 'a' }], continue_final_message: true }, 'continue_final_message', null],
  [{ prompt: 'a', model: 'scripted-embed' }, 'model', 'model_not_supported'],
  [{ prompt: 'a', return_token_strs: 'yes' }, 'return_token_strs', null],
])('refuses %j', async (body, param, code) => {
  const answer = await postJson(await build(), '/tokenize', body);
  expect([answer.status, answer.body.error.param, answer.body.error.code]).toEqual([400, param, code]);
});

it('refuses a text of more than 200,000 characters', async () => {
  const answer = await postJson(await build(), '/tokenize', { prompt: 'a'.repeat(200_001) });
  expect([answer.status, answer.body.error.param]).toEqual([400, 'prompt']);
});

it.each([
  [{}, 'tokens', 'missing_required_field'],
  [{ tokens: [-1] }, 'tokens.0', null],
  [{ tokens: [1.5] }, 'tokens.0', null],
  [{ tokens: [1_000_000_000] }, 'tokens', null],
])('refuses to read %j', async (body, param, code) => {
  const answer = await postJson(await build(), '/detokenize', body);
  expect([answer.status, answer.body.error.param, answer.body.error.code]).toEqual([400, param, code]);
});

it('tells what is known of a tokenizer, of the first chat model by default', async () => {
  const app = await build();
  for (const path of ['/v1/tokenizer_info', '/v1/tokenizer_info?model=chat']) {
    const answer = await app.request(path);
    expect(await answer.json()).toEqual({
      model: 'scripted-chat',
      model_max_length: 512,
      chat_template: expect.stringContaining('<|im_start|>'),
      bos_token: null,
      eos_token: '<|im_end|>',
      pad_token: null,
      unk_token: null,
    });
  }
  expect((await app.request('/v1/tokenizer_info?model=nobody')).status).toBe(404);
});

it('says which model is asked where none generates text', async () => {
  const { app } = await buildApp({ models: [embedder] });
  const answer = await postJson(app, '/tokenize', { prompt: 'a' });
  expect([answer.status, answer.body.error.code]).toEqual([404, 'model_not_found']);
});
