/** Sampling fields and their defaults, on a model that any of them would move. */
import { describe, expect, it } from 'vitest';
import { buildApp } from '../../support/build-app.js';
import { waveringBackend } from '../../support/wavering-backend.js';
import { post } from './support/call.js';

const messages = [{ role: 'user', content: 'Spell.' }];
const model = 'scripted-chat';

/** A body of 24 tokens for each endpoint that writes text, and where its text is. */
const ENDPOINTS = {
  chat: {
    path: '/v1/chat/completions',
    body: { model, messages, max_tokens: 24 },
    text: (json: any) => json.choices[0].message.content,
  },
  completions: {
    path: '/v1/completions',
    body: { model, prompt: 'Spell.', max_tokens: 24, temperature: 0 },
    text: (json: any) => json.choices[0].text,
  },
  messages: {
    path: '/v1/messages',
    body: { model, messages, max_tokens: 24 },
    text: (json: any) => json.content[0].text,
  },
  responses: {
    path: '/v1/responses',
    body: { model, input: 'Spell.', max_output_tokens: 24 },
    text: (json: any) => json.output[0].content[0].text,
  },
};

type Name = keyof typeof ENDPOINTS;

async function write(name: Name, fields: object = {}): Promise<string> {
  const { app } = await buildApp({ backends: { scripted: waveringBackend } });
  const { path, body, text } = ENDPOINTS[name];
  const answer = await post(app, path, { ...body, ...fields });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return text(answer.json);
}

describe.each(['chat', 'messages', 'responses'] as const)('%s', (name) => {
  it('[C25] [M10] [R09] without temperature decoding is greedy', async () => {
    const greedy = await write(name, { temperature: 0 });
    expect(greedy).toMatch(/^[a-p]{24}$/);
    expect(await write(name)).toBe(greedy);
    expect(await write(name, { temperature: 1 })).not.toBe(greedy);
  });

  it('[C29] [M09] [R11] top_k has no effect without temperature', async () => {
    const greedy = await write(name);
    for (const fields of [{ top_k: 50 }, { top_k: 50, temperature: 0.0009 }, { top_p: 0.9 }])
      expect(await write(name, fields)).toBe(greedy);
    expect(await write(name, { top_k: 1, temperature: 2 })).toBe(greedy);
    expect(await write(name, { top_k: 50, temperature: 1 })).not.toBe(greedy);
  });
});

it('[C30] repetition_penalty changes what chat completions write', async () => {
  expect(await write('chat', { repetition_penalty: 1.5 })).not.toBe(await write('chat'));
  expect(await write('chat', { repetition_penalty: 1 })).toBe(await write('chat'));
});

it.each([
  ['[T09]', 'completions', [1.5, 7, -3, 'x']],
  ['[M26]', 'messages', [1.5, 17, -3]],
  ['[R12]', 'responses', [1.5, 17, -3]],
] as const)('%s %s: repetition_penalty is accepted and ignored, whatever it is', async (_rule, name, values) => {
  const plain = await write(name);
  for (const repetition_penalty of values) expect(await write(name, { repetition_penalty })).toBe(plain);
});

it('[C31] [C32] presence and frequency penalties are accepted and ignored', async () => {
  const plain = await write('chat');
  for (const fields of [
    { presence_penalty: 2 },
    { presence_penalty: -2 },
    { frequency_penalty: 5 },
    { frequency_penalty: -7 },
  ])
    expect(await write('chat', fields)).toBe(plain);
});
