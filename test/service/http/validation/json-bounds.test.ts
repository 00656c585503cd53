import { expect, it } from 'vitest';
import { boundBody, refuseDeepJson } from '../../../../src/service/http/validation/json-bounds.js';
import { buildApp } from '../../../support/build-app.js';

const repeated = (text: string, count: number): string => Array(count).fill(text).join(',');
const MESSAGE = '{"role":"user","content":"x"}';
const PART = '{"type":"text","text":"x"}';
const TOO_MANY = 10_001;

async function refusalOf(path: string, body: string, compatibility: 'service' | 'hosted' = 'hosted') {
  const { app } = await buildApp({ compatibility });
  const answer = await app.request(`/v1${path}`, { method: 'POST', body });
  const { error } = (await answer.json()) as { error: { message: string; param: string } | string };
  return [answer.status, typeof error === 'string' ? error : error.param];
}

it.each([
  ['/chat/completions', `{"model":"chat","messages":[${repeated(MESSAGE, TOO_MANY)}]}`, 'messages'],
  ['/chat/completions', `{"messages":[${MESSAGE},{"content":[${repeated(PART, TOO_MANY)}]}]}`, 'messages.1.content'],
  ['/chat/completions', `{"model":"chat", "tools" : [ ${repeated('{}', TOO_MANY)}]}`, 'tools'],
  ['/messages', `{"messages":[${repeated(MESSAGE, TOO_MANY)}]}`, 'messages'],
  ['/responses', `{"input":[${repeated(MESSAGE, TOO_MANY)}]}`, 'input'],
  ['/responses', `{"input":[{"role":"user","content":[${repeated(PART, TOO_MANY)}]}]}`, 'input.0.content'],
  ['/embeddings', `{"input":[${repeated('"x"', TOO_MANY)}]}`, 'input'],
  ['/api/chat', `{"messages":[${repeated(MESSAGE, TOO_MANY)}]}`, '`messages` must have at most 10000 items.'],
])('[Y29] %s refuses more than 10,000 of a kind, from their count', async (path, body, param) => {
  expect(await refusalOf(path, body)).toEqual([400, param]);
});

it('[Y29] takes 2,000 messages, and 10,000', async () => {
  for (const count of [2_000, 10_000])
    expect(await boundBody(`{"messages":[${repeated(MESSAGE, count)}]}`)).toContain('"messages"');
});

it('[Y29] has at most 16 pairs of metadata, as hosted services have', async () => {
  const pairs = (count: number): string => Array.from({ length: count }, (_, index) => `"k${index}":"v"`).join(',');
  const body = (count: number): string => `{"model":"chat","messages":[${MESSAGE}],"metadata":{${pairs(count)}}}`;
  expect(await refusalOf('/chat/completions', body(17))).toEqual([400, 'metadata']);
  expect(await refusalOf('/messages', body(20_000))).toEqual([400, 'metadata']);
  const { app } = await buildApp({ compatibility: 'hosted' });
  const { status } = await app.request('/v1/chat/completions', { method: 'POST', body: body(16) });
  expect(status).not.toBe(400);
});

it.each([
  ['[{"a":[1]},"]",1]', '[{"a":[1]},"]",1]'],
  [`[${repeated('1', 20_000)}]`, `[${repeated('1', 10_000)}]`],
  [`[${repeated('{"a":{}}', 20_000)} ]`, `[${repeated('{"a":{}}', 10_000)}]`],
  [`{"b":[${repeated('[[]]', 20_000)}],"c":1}`, `{"b":[${repeated('[[]]', 10_000)}],"c":1}`],
])('[Y29] leaves out of an unknown field what no one looks at: %.20s…', async (value, kept) => {
  expect(await boundBody(`{"messages":[${MESSAGE}],"x":${value},"y":[]}`)).toBe(
    `{"messages":[${MESSAGE}],"x":${kept},"y":[]}`,
  );
});

it('[Y29] refuses many small lists together', async () => {
  const parts = `{"content":[${repeated(PART, 1_000)}]}`;
  await expect(boundBody(`{"messages":[${repeated(parts, 200)}]}`)).rejects.toThrow(/holds more than 400000 values/);
});

it('[Y29] lets others have their turn while it looks at a long text', async () => {
  let turns = 0;
  let isLooking = true;
  const count = (): void => void (isLooking && (turns++, setImmediate(count)));
  setImmediate(count);
  await boundBody(`{"x":[${repeated('{}', 800_000)}]}`);
  isLooking = false;
  expect(turns).toBeGreaterThanOrEqual(2);
});

it('[Y29] leaves what is no JSON to the parser', async () => {
  for (const text of ['', ']', '}}', '{"a', '[1,', 'nul', '"', '{"a":[}', ',,,', '{"\\"":1}', '[1"2"]'])
    expect(await boundBody(text)).toBe(text);
});

it('counts brackets outside of texts only', () => {
  expect(() => refuseDeepJson('['.repeat(201), 'arguments')).toThrow(
    '`arguments` is nested more than 200 levels deep.',
  );
  expect(() => refuseDeepJson(`["${'['.repeat(300)}\\"${'{'.repeat(300)}"]`, 'arguments')).not.toThrow();
});
