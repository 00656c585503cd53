/** What only /api/generate has, and images. */
import { describe, expect, it } from 'vitest';
import type { GenerationRequest } from '../../../../src/core/request/generation-request.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { recordingBackend } from '../../../support/recording-backend.js';
import { ask, script } from './support.js';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

async function promptOf(body: object, path: 'chat' | 'generate' = 'generate'): Promise<GenerationRequest['prompt']> {
  const { backend, requests } = recordingBackend();
  const models = [scriptedChat({ script: { replies: [{ text: 'Yes.' }], images: true } })];
  const { app } = await buildApp({ models, backends: { scripted: backend } });
  const { status } = await ask(app, path, { stream: false, ...body });
  expect(status).toBe(200);
  return (requests[0] as GenerationRequest).prompt;
}

describe('/api/generate', () => {
  it('[O15] the prompt is a turn of the user, after `system`', async () => {
    expect(await promptOf({ prompt: 'Hi.', system: 'Be kind.', suffix: '', template: null, context: [] })).toEqual({
      type: 'chat',
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] },
        { role: 'user', content: [{ type: 'text', text: 'Hi.' }] },
      ],
    });
    expect(await promptOf({ prompt: '<|im_start|>Hi.', raw: true })).toEqual({ type: 'raw', text: '<|im_start|>Hi.' });
  });

  it.each([
    [{ suffix: 'end' }, 'suffix'],
    [{ template: '{{ .Prompt }}' }, 'template'],
    [{ context: [1, 2] }, 'context'],
    [{ raw: true, system: 'Be kind.' }, 'system'],
    [{ raw: true, template: 'x' }, 'template'],
    [{ raw: true, context: [1] }, 'context'],
    [{ prompt: 5 }, 'prompt'],
  ])('[O15] refuses %j', async (body, named) => {
    const { status, json } = await ask(await script([]), 'generate', body);
    expect([status, json]).toEqual([400, { error: expect.stringContaining(`\`${named}\``) }]);
  });

  it('[O15] answers have no `context`', async () => {
    const { json } = await ask(await script([{ text: 'Yes.' }]), 'generate', { stream: false });
    expect(json.response).toBe('Yes.');
    expect(json).not.toHaveProperty('context');
    expect(json).not.toHaveProperty('message');
  });
});

describe.each(['chat', 'generate'] as const)('images of /api/%s', (path) => {
  const showing = (image: string) =>
    path === 'chat' ? { messages: [{ role: 'user', content: 'What?', images: [image] }] } : { images: [image] };

  it('[O14] stand before the text', async () => {
    const prompt = await promptOf(showing(PIXEL), path);
    const message = prompt.type === 'chat' ? prompt.messages[0]! : undefined;
    expect(message?.content.map(({ type }) => type)).toEqual(['image', 'text']);
    expect(message?.content[0]).toMatchObject({ mediaType: 'image/png' });
  });

  it('[O14] are refused by models without eyes, and where they do not decode', async () => {
    const blind = await ask(await script([{ text: 'x' }]), path, showing(PIXEL));
    expect([blind.status, blind.json]).toEqual([400, { error: expect.stringContaining('images') }]);
    const seeing = await script([], { script: { replies: [{ text: 'x' }], images: true } });
    for (const image of ['bm8gaW1hZ2U=', '???', `data:image/png;base64,${PIXEL}`]) {
      const { status, json } = await ask(seeing, path, showing(image));
      expect([image, status, json]).toEqual([image, 400, { error: expect.any(String) }]);
    }
  });
});
