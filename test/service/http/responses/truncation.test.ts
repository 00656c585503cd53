import { describe, expect, it } from 'vitest';
import type { App } from '../../../../src/service/http/app.js';
import { ResponseStorage } from '../../../../src/service/response-storage.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { postJson } from '../../../support/http-client.js';
import { create, send, start } from './stored-support.js';
import { valid } from './support.js';

const CONTEXT = 120;

async function build(store?: false): Promise<App> {
  const kept = new ResponseStorage(store, { now: Date.now, service: '/v1' });
  const models = [scriptedChat({ contextLength: CONTEXT, script: { replies: [{ text: 'Done.' }] } })];
  return (await buildApp({ models, compatibility: 'hosted', ...kept.optionsFor('hosted') })).app;
}

const says = (content: string, role = 'user') => ({ role, content });
const long = (text: string): string => `${text} `.repeat(12);
const history = [
  says(long('one')),
  says(long('two'), 'assistant'),
  says(long('three')),
  says(long('four'), 'assistant'),
];

describe.each([
  ['with state', () => build()],
  ['without state', () => build(false)],
])('a prompt that does not fit, %s', (_, open) => {
  it('[G16] [H18] loses its beginning, never the instructions nor the last item', async () => {
    const app = await open();
    const input = [...history, ...history, says('last')];
    const refused = await postJson(app, '/responses', { ...valid, input });
    expect([refused.status, refused.body.error.code]).toEqual([400, 'context_length_exceeded']);
    const auto = { truncation: 'auto', instructions: 'Be brief.' };
    const answer = await create(app, { ...auto, input });
    expect([answer.status, answer.truncation]).toEqual(['completed', 'auto']);
    expect(answer.usage.input_tokens).toBeLessThan(CONTEXT);
    // It is the prompt of some of the latest items, and of as many as fit.
    const counts = await Promise.all(
      input.map(async (_item, index) => {
        const body = { ...valid, instructions: auto.instructions, input: input.slice(index) };
        const { status, body: counted } = await postJson(app, '/responses/input_tokens', body);
        return status === 200 && counted.input_tokens < CONTEXT ? (counted.input_tokens as number) : 0;
      }),
    );
    expect(answer.usage.input_tokens).toBe(Math.max(...counts));
    const alone = await postJson(app, '/responses', { ...valid, truncation: 'auto', input: long(long('x')) });
    expect(alone.body.error.code).toBe('context_length_exceeded');
  });

  it('[H18] never loses a call without its output', async () => {
    const app = await open();
    const call = {
      type: 'function_call',
      call_id: 'c',
      name: 'f',
      arguments: JSON.stringify({ text: long(long('x')) }),
    };
    const output = { type: 'function_call_output', call_id: 'c', output: 'short' };
    const input = [...history, call, output, says(long('y')), says('last')];
    const answer = await create(app, { truncation: 'auto', input });
    const count = async (items: object[]): Promise<number> =>
      (await postJson(app, '/responses/input_tokens', { ...valid, input: items })).body.input_tokens;
    // The call is too long, and its output alone would still fit.
    expect(await count(input.slice(5))).toBeLessThan(CONTEXT);
    expect(answer.usage.input_tokens).toBe(await count(input.slice(6)));
  });

  it('[H18] is refused otherwise, and takes no other value', async () => {
    const app = await open();
    for (const truncation of ['disabled', null]) {
      const { body } = await postJson(app, '/responses', { ...valid, input: [...history, ...history], truncation });
      expect(body.error.code).toBe('context_length_exceeded');
    }
    for (const truncation of ['all', 5]) {
      const { status, body } = await postJson(app, '/responses', { ...valid, truncation });
      expect([status, body.error.param]).toEqual([400, 'truncation']);
    }
  });
});

it('[H18] what is kept and listed stays whole', async () => {
  const app = await build();
  const input = [...history, ...history, says('last')];
  const { id } = await create(app, { truncation: 'auto', input });
  expect((await send(app, 'GET', `/responses/${id}/input_items?limit=100`)).body.data).toHaveLength(input.length);
});

it('a service by the letter of its specification echoes it and cuts nothing', async () => {
  expect((await create(await start(), { truncation: 'auto' })).truncation).toBe('auto');
});
