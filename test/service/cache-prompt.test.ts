import { describe, expect, it } from 'vitest';
import { Catalog } from '../../src/core/models/catalog.js';
import type { GenerationRequest } from '../../src/core/request/generation-request.js';
import { cachePrompt, type PromptToCache } from '../../src/service/cache-prompt.js';
import { COMPATIBILITY } from '../../src/service/http/policy/compatibility.js';
import type { Inference } from '../../src/service/scheduler/inference.js';

const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** What the engine is asked for. */
async function asked(prompt: PromptToCache, model = 'm', isWanted = true): Promise<GenerationRequest[]> {
  const requests: GenerationRequest[] = [];
  const inference = {
    catalog: new Catalog([
      { id: 'm', aliases: ['other'], task: 'chat', backend: 'transformers' },
      { id: 'scripted', task: 'chat', backend: 'scripted' },
      { id: 'vectors', task: 'embeddings', backend: 'transformers' },
    ]),
    async *generate(request: GenerationRequest) {
      requests.push(request);
      yield* [] as never[];
    },
  } as unknown as Inference;
  await cachePrompt({ inference, compatibility: COMPATIBILITY.hosted, isWanted }, model, prompt, AbortSignal.any([]));
  return requests;
}

describe('[P07] cachePrompt', () => {
  it('reads messages as a chat completion would, and asks to keep them', async () => {
    const [request] = await asked([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      { role: 'system', content: 'And brief.' },
    ]);
    expect(request).toMatchObject({ model: 'm', maxTokens: 1, cachePrompt: 'required', prompt: { type: 'chat' } });
    const { prompt } = request as { prompt: { messages: { role: string }[] } };
    expect(prompt.messages.map(({ role }) => role)).toEqual(['system', 'user', 'system']);
  });

  it('reads a text as it is, by an alias too', async () => {
    expect(await asked('Once upon a time', 'other')).toMatchObject([
      { model: 'm', maxTokens: 1, cachePrompt: 'required', prompt: { type: 'raw', text: 'Once upon a time' } },
    ]);
  });

  it.each<[string, PromptToCache, string, object]>([
    ['no messages', [], 'm', { code: 'invalid_request', param: 'messages' }],
    ['what is no prompt', 5 as never, 'm', { code: 'invalid_request', param: 'messages' }],
    ['a wrong message', [{ role: 'wizard' }], 'm', { code: 'invalid_request', param: 'messages.0.role' }],
    [
      'images',
      [{ role: 'user', content: [{ type: 'image_url', image_url: { url: PNG } }] }],
      'm',
      { code: 'invalid_request', param: 'messages' },
    ],
    ['a model that is not there', 'Hello', 'none', { code: 'model_not_found' }],
    ['a model of another task', 'Hello', 'vectors', { code: 'model_not_supported' }],
    ['a model that keeps nothing', 'Hello', 'scripted', { code: 'model_not_supported' }],
  ])('refuses %s', async (_, prompt, model, error) => {
    await expect(asked(prompt, model)).rejects.toMatchObject(error);
  });

  it('refuses everything without the option', async () => {
    await expect(asked('Hello', 'm', false)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
