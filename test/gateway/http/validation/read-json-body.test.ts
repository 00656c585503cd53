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
      { id: 'speech', task: 'speech', backend: 'scripted', script: { replies: [{ text: 'I heard.' }] } },
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
