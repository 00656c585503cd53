import { expect, it } from 'vitest';
import { buildApp, scriptedChat } from '../../support/build-app.js';
import { post, postJson } from '../../support/http-client.js';
import { readSomeEvents } from '../../support/read-events.js';
import { type StreamDialect, validateStream } from '../../support/validate-stream.js';

const messages = [{ role: 'user', content: 'Hello' }];

const DIALECTS: { dialect: StreamDialect; path: string; body: object; cap: string }[] = [
  { dialect: 'chat-completions', path: '/chat/completions', body: { messages }, cap: 'max_tokens' },
  { dialect: 'completions', path: '/completions', body: { prompt: 'Hello' }, cap: 'max_tokens' },
  { dialect: 'messages', path: '/messages', body: { messages, max_tokens: 4000 }, cap: 'max_tokens' },
  { dialect: 'responses', path: '/responses', body: { input: 'Hello' }, cap: 'max_output_tokens' },
];

it.each(DIALECTS)('[S25] a $dialect reader that goes away frees the engine', async ({ dialect, path, body, cap }) => {
  // Undisturbed, the first answer would take 40 seconds.
  const script = { replies: [{ text: 'word ', repeat: 4000 }], tokenDelayMs: 10 };
  const { app } = await buildApp({ models: [scriptedChat({ script })] });
  const first = await post(app, path, { model: 'scripted-chat', ...body, stream: true });
  const events = await readSomeEvents(first, 8);
  expect(() => validateStream(dialect, events, { end: 'aborted' })).not.toThrow();
  const second = await postJson(app, path, { model: 'scripted-chat', ...body, [cap]: 2 });
  expect(second.status).toBe(200);
});
