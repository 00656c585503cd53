import { describe, expect, it } from 'vitest';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { post } from '../support/call.js';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const SCRIPT = { replies: [{ text: 'A dot.' }], images: true };

async function statusOf(url: string): Promise<unknown[]> {
  const { app } = await buildApp({ models: [scriptedChat({ script: SCRIPT })] });
  const chat = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
  const input = [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }];
  const answers = [
    await post(app, '/v1/chat/completions', { model: 'scripted-chat', messages: chat }),
    await post(app, '/v1/responses', { model: 'scripted-chat', input }),
  ];
  return answers.map(({ status }) => status);
}

describe('the address of an image', () => {
  it.each([
    `data:image/png;charset=utf-8;base64,${PNG}`,
    `  data:image/png;base64,${PNG}\n`,
    `data:image/png;base64, ${PNG}`,
    `data:image/png;base64,${PNG.replaceAll('+', '-').replaceAll('/', '_')}`,
    `Data:Image/PNG;base64,${PNG.replaceAll('=', '%3D')}`,
  ])('[Y36] is read as the browser reads it: %s', async (url) => {
    expect(await statusOf(url)).toEqual([200, 200]);
  });

  it.each([
    'https://a.example/a.png',
    `data:image/svg+xml;base64,${PNG}`,
    'data:image/png;base64,!!',
    `data:text/plain;base64,${PNG}`,
  ])('[C11] [C12] is refused otherwise: %s', async (url) => expect(await statusOf(url)).toEqual([400, 400]));
});
