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

describe('[G22] in hosted the penalties act', () => {
  async function counted(name: Name, fields: object, compatibility: 'hosted' | 'service' = 'hosted') {
    const { app } = await buildApp({ backends: { scripted: waveringBackend }, compatibility });
    const { path, body, text } = ENDPOINTS[name];
    const { status, json } = await post(app, path, { ...body, temperature: 0, ...fields });
    if (status !== 200) return { status, param: json.error.param as string, most: 0 };
    const counts = new Map<string, number>();
    for (const letter of text(json)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    return { status, param: undefined, most: Math.max(...counts.values()), letters: counts.size };
  }

  it.each(['chat', 'completions', 'responses'] as const)('%s', async (name) => {
    const plain = await counted(name, {});
    // 24 letters of 16: with a penalty for each of them, none is written three times.
    const often = await counted(name, { frequency_penalty: 2 });
    expect([often.most, often.letters]).toEqual([2, 16]);
    const seen = await counted(name, { presence_penalty: 2 });
    expect(seen.letters).toBe(16);
    expect(plain.letters).toBeLessThan(16);
    expect((await counted(name, { presence_penalty: -2 })).letters).toBe(1);
    for (const field of ['presence_penalty', 'frequency_penalty']) {
      for (const value of [2.1, -2.1, 'x']) {
        expect(await counted(name, { [field]: value })).toMatchObject({ status: 400, param: field });
      }
      for (const value of [0, null]) expect(await counted(name, { [field]: value })).toEqual(plain);
    }
  });

  it('responses repeat them', async () => {
    const { app } = await buildApp({ compatibility: 'hosted' });
    const { json } = await post(app, '/v1/responses', {
      model,
      input: 'Hi.',
      presence_penalty: 1,
      frequency_penalty: -1,
    });
    expect(json).toMatchObject({ presence_penalty: 1, frequency_penalty: -1 });
  });
});
