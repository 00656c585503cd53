import { deflateSync, gzipSync } from 'node:zlib';
import { expect, it, onTestFinished, vi } from 'vitest';
import { buildApp } from '../../../support/build-app.js';

/** Firefox has no `Request.body`. */
function hideRequestBody(): void {
  vi.spyOn(Request.prototype, 'body', 'get').mockReturnValue(undefined as never);
  onTestFinished(() => void vi.restoreAllMocks());
}

it('bodies are read where requests give no stream of them', async () => {
  hideRequestBody();
  const { app } = await buildApp({
    models: [
      { id: 'chat', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'Hello.' }] } },
      { id: 'speech', task: 'speech-to-text', backend: 'scripted', script: { replies: [{ text: 'I heard.' }] } },
    ],
  });
  const body = JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hi' }] });
  const chat = await app.request('/v1/chat/completions', { method: 'POST', body });
  expect((await chat.json()).choices[0].message.content).toBe('Hello.');
  const form = new FormData();
  form.set('model', 'speech');
  form.set('file', new Blob(['RIFF\0\0\0\0WAVEfmt ']), 'a.wav');
  const speech = await app.request('/v1/audio/transcriptions', { method: 'POST', body: form });
  expect(await speech.json()).toEqual({ text: 'I heard.' });
});

const BODY = JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hi' }] });

const send = async (encoding: string, body: BodyInit): Promise<Response> => {
  const { app } = await buildApp({
    models: [{ id: 'chat', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'Hello.' }] } }],
  });
  const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
  return app.request('/v1/chat/completions', { method: 'POST', headers, body });
};

it.each(['gzip', 'deflate', 'identity', 'GZIP', 'x-gzip'])('[Y38] a body that came as %s is read', async (encoding) => {
  const pack = {
    gzip: gzipSync,
    'x-gzip': gzipSync,
    deflate: deflateSync,
    identity: (text: string) => Buffer.from(text),
  };
  const packed = pack[encoding.toLowerCase() as keyof typeof pack](BODY);
  expect((await (await send(encoding, new Uint8Array(packed))).json()).choices[0].message.content).toBe('Hello.');
});

it('a body that is packed in another way is refused by its name, and one that is not what it says', async () => {
  const other = await send('br', BODY);
  expect([other.status, (await other.json()).error.message]).toEqual([
    400,
    expect.stringContaining('`content-encoding: br`'),
  ]);
  const broken = await send('gzip', BODY);
  expect([broken.status, (await broken.json()).error.message]).toEqual([
    400,
    'The request body could not be unpacked.',
  ]);
});

it('a small body that unpacks to gigabytes is read no further than the limit', async () => {
  const bomb = new Uint8Array(gzipSync(Buffer.alloc(64 * 1024 * 1024)));
  expect(bomb.length).toBeLessThan(100_000);
  expect((await send('gzip', bomb)).status).toBe(413);
});

it.each(['UNKNOWN', 'PUT'])('%s is a method that no path takes', async (method) => {
  const { app } = await buildApp();
  const answer = await app.request('/v1/chat/completions', { method });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
});
