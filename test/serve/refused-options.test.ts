import { expect, it } from 'vitest';
import { serveInference } from '../../src/serve/index.js';
import { checkServeOptions } from '../../src/serve/serve-inference.js';
import { installInference } from '../../src/testing/playwright/index.js';

const routes = { 'GET /api': () => new Response('') };
const NAMED = { code: 'invalid_request', details: { param: 'routes' } };

it('[U20] routes are of a page: serve and the Playwright fixture refuse them by name', async () => {
  await expect(serveInference({ routes } as object)).rejects.toMatchObject(NAMED);
  await expect(installInference({} as never, { origin: 'http://localhost', routes } as never)).rejects.toMatchObject(
    NAMED,
  );
});

it.each(['a b', 'schlüssel', '\u0007key', 'key\n', '密钥'])(
  '[Y32] a key that no client can send is refused: %j',
  async (key) => {
    const refused = { code: 'invalid_request', details: { param: 'apiKeys.1' } };
    await expect(serveInference({ models: [], apiKeys: ['good', key] })).rejects.toMatchObject(refused);
    const inside = { code: 'invalid_request', details: { param: 'apiKeys.0.key' } };
    await expect(serveInference({ models: [], apiKeys: [{ key }] })).rejects.toMatchObject(inside);
  },
);

it.each([
  ['port'],
  ['host'],
  ['log'],
  ['compatibility'],
  ['storeResponses'],
  ['apiKeys'],
  ['allowOrigins'],
  ['models'],
])('[Y32] a file whose `%s` has a wrong type is refused, also where a flag stands in for it', (name) => {
  expect(() => checkServeOptions({ [name]: {} })).toThrow(`The option \`${name}\` must be`);
  expect(() => checkServeOptions({ port: 1, models: ['./a.gguf'] })).not.toThrow();
});
