/** Models of their own that adapters make: names, lists and which engine answers. */
import { describe, expect, it } from 'vitest';
import type { Backend, LoadedModel } from '../../../src/core/models/backend.js';
import { parseOptions } from '../../../src/core/models/option-schema.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { MODEL_ENTRY } from '../../../src/core/models/model-entry-schema.js';
import type { InferenceError } from '../../../src/core/errors/inference-error.js';
import { scriptedBackend } from '../../../src/engines/scripted/scripted-backend.js';
import { buildApp, scriptedChat } from '../../support/build-app.js';
import { get, post } from './support/call.js';

const LORAS = [
  { source: '/l/always.gguf' },
  { source: '/l/pirate.gguf', id: 'pirate', scale: 2 },
  { source: 'owner/name', file: '*q8.gguf', id: 'poet' },
];
const BASE: ModelEntry = { id: 'base', task: 'chat', backend: 'gguf', source: '/m.gguf', loras: LORAS, aliases: ['b'] };

/** Says which adapter it was asked to use. */
function engine(): { backends: Record<string, Backend>; loads: string[] } {
  const loads: string[] = [];
  const backend: Backend = {
    async load(entry, options): Promise<LoadedModel> {
      loads.push(entry.id);
      const speaker = async (text: string): Promise<LoadedModel> =>
        scriptedBackend.load(scriptedChat({ id: entry.id, script: { replies: [{ text }] } }), options);
      const model = await speaker('');
      return {
        ...model,
        async *generate(request, signal) {
          yield* (await speaker(`with ${request.adapter ?? 'none'} as ${request.model}`)).generate!(request, signal);
        },
      };
    },
  };
  return { backends: { gguf: backend }, loads };
}

const messages = [{ role: 'user', content: 'Hello' }];

describe('[W15] a model that an adapter makes', () => {
  it('is listed behind its base, and retrieved by its name', async () => {
    const { app } = await buildApp({ models: [BASE, scriptedChat()], ...engine() });
    const ids = (await get(app, '/v1/models')).json.data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(['base', 'base:pirate', 'base:poet', 'scripted-chat']);
    expect((await get(app, '/v1/models/base:poet')).json).toMatchObject({ id: 'base:poet', object: 'model' });
    expect((await get(app, '/v1/models/base:none')).status).toBe(404);
    expect((await get(app, '/v1/models/b:poet')).status).toBe(404);
  });

  it('answers under its name, on the engine of its base', async () => {
    const { backends, loads } = engine();
    const { app, inference } = await buildApp({ models: [BASE], backends });
    for (const [name, model, adapter] of [
      ['base', 'base', 'none'],
      ['b', 'base', 'none'],
      ['base:pirate', 'base:pirate', 'pirate'],
      ['base:poet', 'base:poet', 'poet'],
    ]) {
      const { json } = await post(app, '/v1/chat/completions', { model: name, messages });
      expect(json.model).toBe(model);
      expect(json.choices[0].message.content).toBe(`with ${adapter} as ${model}`);
    }
    expect(loads).toEqual(['base']);
    expect(inference.status().map(({ id }) => id)).toEqual(['base']);
    await inference.unload('base:poet');
    expect(inference.status()[0]!.state).toBe('absent');
    await inference.load('base:pirate');
    expect(loads).toEqual(['base', 'base']);
    expect(inference.contextLength('base:pirate')).toBe(inference.contextLength('base'));
  });

  it('gives way to an entry of the same name', async () => {
    const own = scriptedChat({ id: 'base:pirate', script: { replies: [{ text: 'mine' }] } });
    const { app } = await buildApp({
      models: [BASE, own],
      backends: { ...engine().backends, scripted: scriptedBackend },
    });
    const { json } = await post(app, '/v1/chat/completions', { model: 'base:pirate', messages });
    expect(json.choices[0].message.content).toBe('mine');
    const ids = (await get(app, '/v1/models')).json.data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(['base', 'base:poet', 'base:pirate']);
  });

  it.each<[string, unknown, Partial<ModelEntry>?]>([
    ['loras.0.source', [{}]],
    ['loras.0.source', [{ source: '' }]],
    ['loras.0.file', [{ source: 'a/b', file: 'x.bin' }]],
    ['loras.0.id', [{ source: 'a/b', id: 'x:y' }]],
    ['loras.0.id', [{ source: 'a/b', id: 'latest' }]],
    ['loras.0.id', [{ source: 'a/b', id: '' }]],
    ['loras.0.scale', [{ source: 'a/b', scale: 4.5 }]],
    ['loras.0.scale', [{ source: 'a/b', scale: Number.NaN }]],
    ['loras.0.weight', [{ source: 'a/b', weight: 1 }]],
    ['loras', Array.from({ length: 9 }, () => ({ source: 'a/b' }))],
    ['loras', [1, 2].map(() => ({ source: 'a/b', id: 'x' }))],
    ['loras', LORAS, { backend: 'transformers' }],
    ['loras', LORAS, { task: 'embeddings' }],
  ])('is refused by name: %s %j', (param, loras, more = {}) => {
    const parse = (): unknown => parseOptions(MODEL_ENTRY, { ...BASE, loras, ...more }, 'field');
    expect(parse).toThrow(expect.objectContaining({ code: 'invalid_request' } satisfies Partial<InferenceError>));
    expect(parse).toThrow(expect.objectContaining({ details: expect.objectContaining({ param }) }));
  });
});
