/** Which answers of the page count as unmatched; in a browser: `install-inference.e2e.test.ts`. */
import type { Response } from 'playwright';
import { expect, it } from 'vitest';
import { NO_REPLY_MATCHES } from '../../../src/core/models/script.js';
import { Misses } from '../../../src/testing/playwright/misses.js';

const answer = (status: number, body: string | Error): Response =>
  ({
    status: () => status,
    text: async () => {
      if (typeof body !== 'string') throw body;
      return body;
    },
    request: () => ({ url: () => 'http://localhost/v1/chat/completions' }),
  }) as unknown as Response;

it('[Y25] counts requests that no reply fitted, in the shape of each endpoint, and no other error', async () => {
  const misses = new Misses();
  misses.look(answer(400, JSON.stringify({ error: { message: `${NO_REPLY_MATCHES} Its last message is "Hi".` } })));
  misses.look(answer(400, JSON.stringify({ error: `${NO_REPLY_MATCHES} Its last message is "Ho".` })));
  misses.look(answer(400, JSON.stringify({ error: { message: 'The field `n` must be 1.' } })));
  misses.look(answer(400, 'no JSON'));
  misses.look(answer(400, new Error('The page was closed.')));
  misses.look(answer(429, JSON.stringify({ error: { message: NO_REPLY_MATCHES } })));
  await misses.read();
  expect(misses.found.map(({ message }) => message)).toEqual([
    `${NO_REPLY_MATCHES} Its last message is "Hi".`,
    `${NO_REPLY_MATCHES} Its last message is "Ho".`,
  ]);
});
