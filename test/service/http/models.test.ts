/** The model list and single models. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Backend } from '../../../src/core/models/backend.js';
import { scriptedBackend } from '../../../src/engines/scripted/scripted-backend.js';
import { DEFAULT_MODELS } from '../../../src/core/models/default-catalog.js';
import { buildApp, scriptedChat } from '../../support/build-app.js';
import { get, post } from './support/call.js';
import { ALL_TASKS } from './support/models.js';

describe('list', () => {
  it('[L01] the bundled models', async () => {
    const { app } = await buildApp({ models: [...DEFAULT_MODELS] });
    const { status, json } = await get(app, '/v1/models');
    expect(status).toBe(200);
    expect(json.object).toBe('list');
    expect(json.data.map((model: { id: string }) => model.id)).toEqual(['tiny-chat', 'tiny-embed', 'tiny-whisper']);
  });

  it('[L02] [L03] [Q13] fields of a model, prices included, known before it is loaded', async () => {
    const { app } = await buildApp({ models: [...DEFAULT_MODELS, ...ALL_TASKS] });
    for (const model of (await get(app, '/v1/models')).json.data) {
      expect(model).toEqual({
        id: expect.any(String),
        object: 'model',
        created: expect.toSatisfy(
          (seconds) => Number.isInteger(seconds) && Math.abs(Date.now() / 1000 - seconds) < 600,
        ),
        owned_by: expect.any(String),
        context_length: expect.toSatisfy(Number.isInteger),
        max_completion_tokens: expect.toSatisfy(Number.isInteger),
        pricing: { prompt: 0, completion: 0, duration_per_hour: 0 },
      });
      expect(model.max_completion_tokens).toBeLessThanOrEqual(model.context_length);
    }
  });

  it('[L02] the context length of a model that was loaded is what its engine says', async () => {
    const backend: Backend = {
      async load(entry, options) {
        const model = await scriptedBackend.load(entry, options);
        return { ...model, info: { ...model.info, contextLength: 777 } };
      },
    };
    const { app, inference } = await buildApp({
      models: [scriptedChat(), scriptedChat({ id: 'named', contextLength: 1000 })],
      backends: { scripted: backend },
    });
    const lengths = async () =>
      (await get(app, '/v1/models')).json.data.map((model: { context_length: number }) => model.context_length);
    const known = async () =>
      (await get(app, '/v1/models?verbose=true')).json.data.map(
        (model: { vendor_metadata: { limits_known: boolean } }) => model.vendor_metadata.limits_known,
      );
    expect(await lengths()).toEqual([expect.any(Number), 1000]);
    expect(await known()).toEqual([false, false]);
    await inference.load('scripted-chat');
    await inference.load('named');
    expect(await lengths()).toEqual([777, 777]);
    expect(await known()).toEqual([true, true]);
    await inference.unload('scripted-chat');
    const { json } = await get(app, '/v1/models/scripted-chat');
    expect(json).toMatchObject({ context_length: 777, max_completion_tokens: 777 });
  });

  it('[L04] [L06] verbose=true adds vendor_metadata, on-device for local models', async () => {
    const { app } = await buildApp({ models: [...DEFAULT_MODELS, ...ALL_TASKS] });
    for (const model of (await get(app, '/v1/models?verbose=true')).json.data) {
      const text = expect.any(String);
      expect(model.vendor_metadata).toEqual({
        region: 'on-device',
        is_external: false,
        architecture: text,
        provider: text,
        capabilities: expect.toSatisfy((value) => Array.isArray(value) && value.length > 0),
        license: text,
        status: text,
        hf_link: text,
        overview: text,
        category: text,
        limits_known: false,
      });
    }
  });

  it.each(['?verbose=1', '?verbose=True'])('[L04] "%s" is true, too', async (query) => {
    const { app } = await buildApp();
    const [listed] = (await get(app, `/v1/models${query}`)).json.data;
    expect(listed).toHaveProperty('vendor_metadata');
    expect((await get(app, `/v1/models/${listed.id}${query}`)).json).toEqual(listed);
  });

  it('an upstream model shows the region and prices of its entry', async () => {
    const pricing = { prompt: 1, completion: 2, duration_per_hour: 0 };
    const { app } = await buildApp({
      models: [
        scriptedChat({
          backend: 'upstream',
          source: 'https://api.example.com/v1',
          metadata: { region: 'eu-west' },
          pricing,
        }),
      ],
    });
    const [model] = (await get(app, '/v1/models?verbose=true')).json.data;
    expect(model).toMatchObject({ pricing, vendor_metadata: { region: 'eu-west', is_external: true } });
  });

  it('an upstream model below a path is no model of a hub', async () => {
    const { app } = await buildApp({ models: [scriptedChat({ backend: 'upstream', source: 'api/v1' })] });
    const [model] = (await get(app, '/v1/models?verbose=true')).json.data;
    expect(model.vendor_metadata.hf_link).toBe('');
  });

  it.each(['', '?verbose=false', '?verbose=0'])('[L05] no vendor_metadata with "%s"', async (query) => {
    const { app } = await buildApp();
    for (const model of (await get(app, `/v1/models${query}`)).json.data)
      expect(model).not.toHaveProperty('vendor_metadata');
  });

  it('[L09] neither removed models nor those outside the plan', async () => {
    const { app } = await buildApp({
      models: [
        scriptedChat(),
        scriptedChat({ id: 'gone', status: 'removed' }),
        scriptedChat({ id: 'dear', access: 'not-in-plan' }),
      ],
    });
    expect((await get(app, '/v1/models')).json.data.map((model: { id: string }) => model.id)).toEqual([
      'scripted-chat',
    ]);
  });
});

describe('retrieve', () => {
  it('[L07] gives the model of the list; ids with a slash come encoded', async () => {
    const id = 'owner/Model-1.5_x';
    const { app } = await buildApp({ models: [scriptedChat({ id, aliases: ['short'] })] });
    const [listed] = (await get(app, '/v1/models')).json.data;
    for (const name of [encodeURIComponent(id), id, 'short']) {
      const { status, json } = await get(app, `/v1/models/${name}`);
      expect(status).toBe(200);
      expect(json).toEqual(listed);
    }
  });

  it('an id with a line break is an unknown id, not an unknown path', async () => {
    const { app } = await buildApp();
    const { status, json } = await get(app, '/v1/models/a%0D%0Ab');
    expect([status, Object.keys(json), typeof json.error]).toEqual([404, ['error'], 'string']);
  });

  it('[L08] an unknown id: 404 simple', async () => {
    const { app } = await buildApp();
    for (const name of ['nobody', 'owner%2Fnobody', '%', 'a%00b', '__proto__']) {
      const { status, json } = await get(app, `/v1/models/${name}`);
      expect(status).toBe(404);
      expect(json).toEqual({ error: expect.any(String) });
    }
  });
});

it('[L02] an upstream model has one `context_length`, before its first request and after it', async () => {
  const answered = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(async () =>
      Response.json({ choices: [{ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] }),
    );
  onTestFinished(() => answered.mockRestore());
  const { app } = await buildApp({
    models: [{ id: 'u', task: 'chat', backend: 'upstream', source: 'https://u.test/v1' }],
  });
  const told = async (): Promise<number[]> => [
    (await get(app, '/v1/models/u')).json.context_length,
    Object.entries((await post(app, '/v1/api/show', { model: 'u' })).json.model_info).find(([name]) =>
      name.endsWith('context_length'),
    )![1] as number,
  ];
  const before = await told();
  await post(app, '/v1/chat/completions', { model: 'u', messages: [{ role: 'user', content: 'Hi' }] });
  expect(before).toEqual([131_072, 131_072]);
  expect(await told()).toEqual(before);
});
