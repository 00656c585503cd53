/** What is left of an extension that is reloaded, in pages that were there before. */
import { expect, it } from 'vitest';
import { contentScriptOf, openExtension } from './support/open-extension.js';
import { decide, openWebPage, serveWebPages } from './support/web-server.js';

const HOST = `{
  models: [
    { id: 'brief', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'Paris' }] } },
    { id: 'endless', task: 'chat', backend: 'scripted', script: { tokenDelayMs: 30, replies: [{ text: 'word ', repeat: 20000 }] } },
  ],
}`;

const chat = (model: string, stream = false): { path: string; init: object } => ({
  path: '/chat/completions',
  init: { method: 'POST', body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Hi' }] }) },
});

interface Streamed {
  text: string;
  error?: string;
}
interface Answer {
  status: number;
  headers: Record<string, string>;
}

it('[Z13] streams end with an error event, later requests are a final 503, and a page that is loaded anew works', async () => {
  const extension = await openExtension({ host: HOST, asks: true });
  const server = await serveWebPages(extension);
  try {
    const origin = server.originAt('127.0.0.1');
    const { page, tell: web } = await openWebPage(extension, origin);
    const thrown: string[] = [];
    page.on('pageerror', ({ message }) => thrown.push(message));
    const tells = [contentScriptOf(page), web];
    const connected = tells.map((tell) => tell('connect'));
    await (await decide(extension, origin, 'allow')).close();
    for (const { error } of await Promise.all(connected)) expect(error).toBeUndefined();
    for (const tell of tells) {
      await tell('begin', { name: 'long', ...chat('endless', true) });
      await expect.poll(async () => (await tell<Streamed>('so', { name: 'long' })).result?.text).toContain('word');
    }

    await extension.reload();
    const reloaded = performance.now();
    for (const tell of tells) {
      const { result } = await tell<Streamed>('rest', { name: 'long' });
      expect(performance.now() - reloaded).toBeLessThan(15_000);
      expect(result?.error).toBeUndefined();
      expect(result?.text).toMatch(/data: \{"error"/);
      const { result: answer, error } = await tell<Answer>('ask', chat('brief'));
      expect(error).toBeUndefined();
      expect(answer).toMatchObject({ status: 503, headers: { 'x-should-retry': 'false' } });
    }
    expect(thrown).toEqual([]);

    await page.reload();
    for (const tell of tells) {
      expect((await tell('connect')).error).toBeUndefined();
      expect((await tell<Answer>('ask', chat('brief'))).result?.status).toBe(200);
    }
  } finally {
    await extension.close();
    server.close();
  }
});
