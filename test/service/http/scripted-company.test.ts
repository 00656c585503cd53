import { describe, expect, it } from 'vitest';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import type { App } from '../../../src/service/http/app.js';
import { buildApp } from '../../support/build-app.js';
import { deltasOf, eventsOf, post } from './support/call.js';

const DELAY = 20;
const script = { replies: [{ text: 'one two three four five' }], tokenDelayMs: DELAY };
const models: ModelEntry[] = [
  { id: 'chat', task: 'chat', backend: 'scripted', script },
  { id: 'slow', task: 'chat', backend: 'scripted', script: { ...script, tokenDelayMs: 300 } },
  { id: 'voice', task: 'text-to-speech', backend: 'scripted', script: { replies: [], tokenDelayMs: 100 } },
];

/** Requests in the order in which their first bytes came, and in which they ended. */
async function race(app: App, path: string, bodies: object[]): Promise<string[]> {
  const seen: string[] = [];
  await Promise.all(
    bodies.map(async (body, index) => {
      const response = await app.request(path, { method: 'POST', body: JSON.stringify(body) });
      const reader = response.body!.getReader();
      for (let isFirst = true; ; isFirst = false) {
        const { done } = await reader.read();
        if (done) break;
        if (isFirst) seen.push(`${index} begins`);
      }
      seen.push(`${index} ends`);
    }),
  );
  return seen;
}

describe('scripted models answer at once, however many ask:', () => {
  it('every stream has begun before one has ended', async () => {
    const { app } = await buildApp({ models });
    const messages = [{ role: 'user', content: 'Count.' }];
    const seen = await race(
      app,
      '/v1/chat/completions',
      Array.from({ length: 50 }, () => ({ model: 'slow', messages, stream: true })),
    );
    expect(seen.slice(0, 50).filter((each) => each.endsWith('begins'))).toHaveLength(50);
  });

  it('speech too', async () => {
    const { app } = await buildApp({ models });
    const body = { model: 'voice', input: 'One. Two. Three.', response_format: 'pcm' };
    const seen = await race(app, '/v1/audio/speech', [body, body, body, body]);
    expect(seen.slice(0, 4).filter((each) => each.endsWith('begins'))).toHaveLength(4);
  });

  it('no token comes before its time, and new words of one prompt change no other answer', async () => {
    const { app } = await buildApp({ models });
    const ask = async (content: string): Promise<{ text: string; took: number }> => {
      const start = performance.now();
      const body = {
        model: 'chat',
        messages: [{ role: 'user', content }],
        stream: true,
        n: 2,
        temperature: 1,
        logprobs: true,
        top_logprobs: 3,
      };
      const { text } = await post(app, '/v1/chat/completions', body);
      const said = deltasOf(eventsOf(text), 1).map(({ content: word }) => word ?? '');
      return { text: said.join(''), took: performance.now() - start };
    };
    const words = Array.from({ length: 20 }, (_, index) => `word${'abcdefghijklmnopqrst'[index]} `.repeat(index + 1));
    for (const { text, took } of await Promise.all(words.map(ask))) {
      expect(text).toBe('one two three four five');
      expect(took).toBeGreaterThanOrEqual(5 * DELAY);
    }
  });
});
