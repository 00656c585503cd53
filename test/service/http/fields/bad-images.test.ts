/** Images that nobody should decode, in every dialect that takes images. */
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { buildApp } from '../../../support/build-app.js';
import { post } from '../support/call.js';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const MODEL = 'scripted-chat';

/** How each dialect sends images beside a question, and what refuses a bad one. */
const DIALECTS = {
  chat: {
    path: '/v1/chat/completions',
    body: (images: string[]) => ({
      messages: [
        {
          role: 'user',
          content: [
            ...images.map((data) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } })),
            { type: 'text', text: 'What is it?' },
          ],
        },
      ],
    }),
    refusal: { error_code: 'invalid_media', error_type: 'invalid_request_error' },
    blind: { error: { code: 'unsupported_content' } },
  },
  messages: {
    path: '/v1/messages',
    body: (images: string[]) => ({
      max_tokens: 20,
      messages: [
        {
          role: 'user',
          content: [
            ...images.map((data) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } })),
            { type: 'text', text: 'What is it?' },
          ],
        },
      ],
    }),
    refusal: { type: 'error', error: { type: 'invalid_request_error' } },
    blind: { type: 'error', error: { type: 'invalid_request_error', message: /images/ } },
  },
  responses: {
    path: '/v1/responses',
    body: (images: string[]) => ({
      input: [
        {
          role: 'user',
          content: [
            ...images.map((data) => ({ type: 'input_image', image_url: `data:image/png;base64,${data}` })),
            { type: 'input_text', text: 'What is it?' },
          ],
        },
      ],
    }),
    refusal: { error: { code: 'invalid_media', type: 'invalid_request_error' } },
    blind: { error: { code: 'unsupported_content' } },
  },
};

/** A whole PNG file that says it has so many pixels, and has a few bytes for them. */
function bomb(width: number, height: number): string {
  const chunk = (type: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [chunk('IHDR', head), chunk('IDAT', deflateSync(Buffer.alloc(100))), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...chunks]).toString('base64');
}

const BAD = {
  'no image': btoa('hello, hello, hello'),
  'an SVG': btoa('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>'),
  'half a PNG': PNG.slice(0, 56),
  'a header of 100 megapixels': bomb(10_000, 10_000),
  'a header that is wider than any': bomb(0xffffffff, 1),
};

describe.each(Object.entries(DIALECTS))('%s', (_, { path, body, refusal, blind }) => {
  it.each(Object.entries(BAD))('[C12] refuses %s, and goes on', async (_name, data) => {
    const { app } = await buildApp();
    const { status, json } = await post(app, path, { model: MODEL, ...body([PNG, data]) });
    expect(status).toBe(400);
    expect(json).toMatchObject(refusal);
    expect((await post(app, path, { model: MODEL, ...body([]) })).status).toBe(200);
  });

  it('[C13] says of sixty good ones that the model takes none', async () => {
    const { app } = await buildApp();
    const { status, json } = await post(app, path, { model: MODEL, ...body(Array.from({ length: 60 }, () => PNG)) });
    expect(status).toBe(400);
    const { message, ...rest } = blind.error as { message?: RegExp };
    expect(json).toMatchObject({ ...blind, error: rest });
    expect(json.error.message).toMatch(message ?? /images/);
  });
});

it('[C11] an address of an SVG is refused by what it says it is', async () => {
  const { app } = await buildApp();
  const url = `data:image/svg+xml;base64,${BAD['an SVG']}`;
  const content = [{ type: 'image_url', image_url: { url } }];
  const { status, json } = await post(app, DIALECTS.chat.path, { model: MODEL, messages: [{ role: 'user', content }] });
  expect([status, json.error_code]).toEqual([400, 'invalid_media']);
});

it('[C10] detail is a text, and null says nothing', async () => {
  const { app } = await buildApp();
  const ask = (detail: unknown) => {
    const content = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail } }];
    return post(app, DIALECTS.chat.path, { model: MODEL, messages: [{ role: 'user', content }] });
  };
  for (const detail of ['low', 'high', 'auto', null])
    expect((await ask(detail)).json.error.code).toBe('unsupported_content');
  expect((await ask(7)).json.error.param).toBe('messages.0.content.0.image_url.detail');
});
