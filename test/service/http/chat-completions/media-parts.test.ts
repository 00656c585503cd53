/** Image and audio parts of chat messages. */
import { expect, it } from 'vitest';
import type { App } from '../../../../src/service/http/app.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { chat } from '../support/call.js';
import { ALL_TASKS, wavFile } from '../support/models.js';

/** One red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const GIF = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

const image = (url: string) => ({
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is it?' },
        { type: 'image_url', image_url: { url } },
      ],
    },
  ],
});

const FLAT = {
  status: 400,
  json: {
    error: expect.any(String),
    error_code: 'invalid_media',
    error_param: 'messages.0.content.1.image_url.url',
    error_type: 'invalid_request_error',
  },
};

async function answerTo(app: App, url: string): Promise<unknown> {
  const { status, json } = await chat(app, image(url));
  return { status, json };
}

it('[C11] an image address that is no data URL of an image: 400 flat', async () => {
  const { app } = await buildApp();
  const refused = [
    'https://example.com/cat.png',
    'http://localhost/a.png',
    'data:text/plain;base64,aGk=',
    `data:image/svg+xml;base64,${PNG}`,
    `data:image/png,${PNG}`,
    '/cat.png',
    '',
  ];
  for (const url of refused) expect(await answerTo(app, url)).toEqual(FLAT);
});

it('[C12] a data URL whose bytes are no image: 400 flat', async () => {
  const { app } = await buildApp();
  const broken = [
    'data:image/png;base64,',
    'data:image/png;base64,%%%',
    'data:image/png;base64,aGVsbG8=',
    `data:image/jpeg;base64,${btoa('\xff\xd8\xff\xe0 no picture')}`,
    `data:image/png;base64,${PNG.slice(0, 60)}`,
  ];
  for (const url of broken) expect(await answerTo(app, url)).toEqual(FLAT);
});

it('[C13] an image for a text-only model: 400 unsupported_content', async () => {
  const { app } = await buildApp();
  for (const url of [`data:image/png;base64,${PNG}`, `data:image/gif;base64,${GIF}`]) {
    const { status, json } = await chat(app, image(url));
    expect(status).toBe(400);
    expect(json.error).toMatchObject({ code: 'unsupported_content', type: 'invalid_request_error' });
    expect(json.request_id).toBeTypeOf('string');
  }
});

async function wavBase64(): Promise<string> {
  return Buffer.from(await wavFile().arrayBuffer()).toString('base64');
}

const audio = (content: string) => ({
  messages: [{ role: 'user', content: [{ type: 'audio_content', audio_content: { content } }] }],
});

it('[C14] an audio part is replaced by its transcript, which the model then reads', async () => {
  const heard = scriptedChat({
    script: { replies: [{ match: 'Good morning', text: 'Good morning too.' }, { text: 'I heard nothing.' }] },
  });
  const { app } = await buildApp({ models: [heard, ...ALL_TASKS.slice(1)] });
  const { status, json } = await chat(app, audio(await wavBase64()));
  expect(status).toBe(200);
  expect(json.choices[0].message.content).toBe('Good morning too.');
  const silent = await chat(app, { messages: [{ role: 'user', content: '' }] });
  expect(json.usage.prompt_tokens).toBeGreaterThan(silent.json.usage.prompt_tokens);
});

it('[C15] an audio part without a speech model: 400 unsupported_content', async () => {
  const { app } = await buildApp();
  const { status, json } = await chat(app, audio(await wavBase64()));
  expect(status).toBe(400);
  expect(json.error).toMatchObject({ code: 'unsupported_content', type: 'invalid_request_error' });
});

it('[C16] input_audio means the same', async () => {
  const { app } = await buildApp({ models: ALL_TASKS });
  const data = await wavBase64();
  const { status } = await chat(app, {
    messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data, format: 'wav' } }] }],
  });
  expect(status).toBe(200);
});

it('audio that is not base64: 400 with the path of the part', async () => {
  const { app } = await buildApp({ models: ALL_TASKS });
  const { status, json } = await chat(app, audio('%%%'));
  expect(status).toBe(400);
  expect(json.error.param).toBe('messages.0.content.0.audio_content.content');
});
