/** What only a trained model shows: its own prompt's log-probabilities, and an answer that goes on with its beginning. */
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Backend } from '../../../../src/core/models/backend.js';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import type { App } from '../../../../src/service/http/app.js';
import { loadTextModel } from '../../../../src/engines/transformers/text/load-text-model.js';
import { post } from '../../../service/http/support/call.js';
import { buildApp } from '../../../support/build-app.js';
import { filesOfFolder, LOAD, modelServer } from '../support/web-build.js';

const ENTRY: ModelEntry = {
  id: 'tiny-chat',
  task: 'chat',
  backend: 'transformers',
  device: 'wasm',
  dtype: 'q8',
  source: '/models/tiny-chat',
};

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

let files: Record<string, Uint8Array>;
let apps: Record<'service' | 'hosted', App>;
beforeAll(async () => {
  const small = ['config.json', 'generation_config.json', 'tokenizer.json', 'tokenizer_config.json'];
  files = await filesOfFolder('public/models/tiny-chat/', [...small, 'onnx/model_quantized.onnx']);
  vi.stubGlobal('fetch', modelServer({ 'tiny-chat': files }).fetch);
  const model = await loadTextModel(ENTRY, LOAD);
  const backend: Backend = { load: async () => model };
  const build = async (compatibility: 'service' | 'hosted'): Promise<App> =>
    (await buildApp({ models: [ENTRY], compatibility, backends: { transformers: backend } })).app;
  apps = { service: await build('service'), hosted: await build('hosted') };
});

describe('[T21] log-probabilities of a prompt', () => {
  const prompt = '<|im_start|>user\nWhy is the sky blue?<|im_end|>\n<|im_start|>assistant\n';

  it('are those that the tokens have when they are written', async () => {
    const body = { model: 'tiny-chat', prompt, echo: true, logprobs: 5, max_tokens: 8, temperature: 0 };
    const { json } = await post(apps.hosted, '/v1/completions', body);
    const [{ text, logprobs }] = json.choices;
    expect(logprobs.tokens.join('')).toBe(text);
    const count = json.usage.prompt_tokens;
    const end = logprobs.tokens.length;
    expect([count < end, end - count]).toEqual([true, json.usage.completion_tokens]);
    // The same text read again as a prompt gives the answer's tokens the same.
    const again = await post(apps.hosted, '/v1/completions', { ...body, prompt: text, max_tokens: 0 });
    const scores: number[] = again.json.choices[0].logprobs.token_logprobs;
    expect(scores).toHaveLength(end);
    for (let index = count; index < scores.length; index += 1)
      expect(Math.abs(scores[index]! - logprobs.token_logprobs[index])).toBeLessThan(0.3);
    // Greedy: each token of the answer is the likeliest of its place.
    for (let index = count; index < end; index += 1)
      expect(Math.max(...Object.values<number>(logprobs.top_logprobs[index]))).toBe(logprobs.token_logprobs[index]);
  });
});

describe('[M32] a last message of the assistant', () => {
  const question = { role: 'user', content: 'Why is the sky blue?' };
  const ask = (fields: object) =>
    post(apps.service, '/v1/messages', { model: 'tiny-chat', max_tokens: 24, messages: [question], ...fields });

  it('is continued as the model would have gone on', async () => {
    const { json } = await ask({});
    const whole: string = json.content[0].text;
    expect(whole.split(' ').length).toBeGreaterThan(6);
    const cut = whole.split(' ').slice(0, 4).join(' ');
    const messages = [question, { role: 'assistant', content: `${cut} \n` }];
    const rest = await ask({ messages, max_tokens: 64 });
    expect(rest.status).toBe(200);
    expect((cut + rest.json.content[0].text).startsWith(whole)).toBe(true);
    const chat = await post(apps.service, '/v1/chat/completions', {
      model: 'tiny-chat',
      max_tokens: 64,
      messages: [question, { role: 'assistant', content: cut }],
      continue_final_message: true,
    });
    expect(chat.json.choices[0].message.content).toBe(rest.json.content[0].text);
  });

  it('is 400 beside thoughts', async () => {
    const messages = [question, { role: 'assistant', content: 'The' }];
    const { status, json } = await ask({
      messages,
      max_tokens: 2000,
      thinking: { type: 'enabled', budget_tokens: 1024 },
    });
    expect([status, json.error.param]).toEqual([400, 'messages']);
  });
});
