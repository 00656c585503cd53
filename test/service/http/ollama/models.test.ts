/** GET /api/tags, /api/ps and /api/version, POST /api/show, and how long models stay loaded. */
import { describe, expect, it, vi } from 'vitest';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { get, post } from '../support/call.js';
import { ALL_TASKS, embedder, listener } from '../support/models.js';
import { ask } from './support.js';

const GGUF: ModelEntry = {
  id: 'owner/small:q4',
  task: 'chat',
  backend: 'gguf',
  source: 'https://models.test/small-Q4_K_M.gguf',
  contextLength: 2048,
  metadata: { architecture: 'llama', license: 'mit', capabilities: ['vision', 'reasoning'] },
};

describe('/api/version', () => {
  it('is that of an Ollama with all that clients look for, and needs no key', async () => {
    const { app } = await buildApp({ apiKeys: ['sk-1'] });
    const { status, json } = await get(app, '/v1/api/version');
    expect([status, json]).toEqual([200, { version: expect.stringMatching(/^0\.4\d\.\d+$/) }]);
    expect((await app.request('/v1/api/version', { method: 'HEAD' })).status).toBe(200);
    expect((await get(app, '/v1/api/tags')).status).toBe(401);
  });
});

describe('/api/tags', () => {
  it('[O19] lists what answers text and vectors, loaded or not', async () => {
    const models: ModelEntry[] = [...ALL_TASKS, GGUF, { ...embedder, id: 'gone', status: 'removed' }];
    const { app } = await buildApp({ models });
    const { status, json } = await get(app, '/v1/api/tags');
    expect(status).toBe(200);
    const names = ['scripted-chat:latest', 'scripted-embed:latest', 'owner/small:q4'];
    expect(json.models.map(({ name }: { name: string }) => name)).toEqual(names);
    const [chat, embed, gguf] = json.models;
    expect(gguf).toEqual({
      name: 'owner/small:q4',
      model: 'owner/small:q4',
      modified_at: expect.stringMatching(/^\d{4}-.*Z$/),
      size: 0,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      details: {
        parent_model: '',
        format: 'gguf',
        family: 'llama',
        families: ['llama'],
        parameter_size: '',
        quantization_level: 'Q4_K_M',
        context_length: 2048,
      },
      capabilities: ['completion', 'tools', 'vision', 'thinking'],
    });
    expect([chat.capabilities, embed.capabilities]).toEqual([['completion', 'tools'], ['embedding']]);
    expect(new Set([chat.digest, embed.digest, gguf.digest]).size).toBe(3);
    expect((await app.request('/v1/api/tags', { method: 'HEAD' })).status).toBe(200);
    const again = await get((await buildApp({ models })).app, '/v1/api/tags');
    expect(again.json.models.map(({ digest }: { digest: string }) => digest)).toEqual([
      chat.digest,
      embed.digest,
      gguf.digest,
    ]);
  });
});

describe('/api/show', () => {
  it('[O20] tells what is known, and loads nothing', async () => {
    const { app, inference } = await buildApp({ models: [GGUF, scriptedChat(), listener] });
    const { status, json } = await post(app, '/v1/api/show', { model: GGUF.id });
    expect([status, json]).toEqual([
      200,
      {
        modelfile: expect.any(String),
        parameters: expect.any(String),
        template: expect.any(String),
        license: 'mit',
        details: expect.objectContaining({ format: 'gguf', family: 'llama' }),
        model_info: { 'general.architecture': 'llama', 'llama.context_length': 2048 },
        capabilities: ['completion', 'tools', 'vision', 'thinking'],
        modified_at: expect.any(String),
      },
    ]);
    const unknown = await post(app, '/v1/api/show', { name: 'scripted-chat:latest' });
    const architecture = unknown.json.model_info['general.architecture'];
    expect(unknown.json.model_info[`${architecture}.context_length`]).toEqual(expect.any(Number));
    expect(inference.status().every(({ state }) => state === 'absent')).toBe(true);
    for (const [body, expected] of [
      [{}, 400],
      [{ model: 5 }, 400],
      [{ model: 'nobody' }, 404],
    ] as const) {
      const refused = await post(app, '/v1/api/show', body);
      expect([body, refused.status, refused.json]).toEqual([body, expected, { error: expect.any(String) }]);
    }
  });

  it('[O20] knows what a scripted model can from its script', async () => {
    const model = scriptedChat({ script: { replies: [{ reasoning: 'Hm.' }], images: true } });
    const { app } = await buildApp({ models: [model] });
    const { json } = await post(app, '/v1/api/show', { model: 'scripted-chat' });
    expect(json.capabilities).toEqual(['completion', 'tools', 'vision', 'thinking']);
  });
});

describe('/api/ps and keep_alive', () => {
  it('[O19] lists the loaded models, and until when they stay', async () => {
    const { app } = await buildApp({ models: [scriptedChat(), embedder] });
    expect((await get(app, '/v1/api/ps')).json).toEqual({ models: [] });
    const before = Date.now();
    await ask(app, 'chat', { keep_alive: '5m' });
    const { json } = await get(app, '/v1/api/ps');
    expect(json.models).toHaveLength(1);
    const [{ expires_at: expires, ...loaded }] = json.models;
    expect(loaded).toMatchObject({ name: 'scripted-chat:latest', size_vram: 0, context_length: expect.any(Number) });
    expect(Date.parse(expires) - before).toBeGreaterThanOrEqual(300_000);
    expect(Date.parse(expires) - before).toBeLessThan(400_000);
    await ask(app, 'chat', { keep_alive: -1 });
    expect(Date.parse((await get(app, '/v1/api/ps')).json.models[0].expires_at)).toBeGreaterThan(before + 1e12);
  });

  it('[O09] a model goes so long after its last request, whoever sent that', async () => {
    const { app, inference } = await buildApp();
    const state = () => inference.status()[0]!.state;
    // Only what measures the wait: the rest of the service has timers of its own.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    try {
      await ask(app, 'chat', { keep_alive: '1m30s', stream: false });
      await vi.advanceTimersByTimeAsync(80_000);
      expect(state()).toBe('ready');
      await post(app, '/v1/chat/completions', { model: 'scripted-chat', messages: [{ role: 'user', content: 'x' }] });
      await vi.advanceTimersByTimeAsync(80_000);
      expect(state()).toBe('ready');
      await vi.advanceTimersByTimeAsync(10_001);
      expect(state()).toBe('absent');
      // Absent: as without this API.
      await ask(app, 'chat', { stream: false });
      await vi.advanceTimersByTimeAsync(1e8);
      expect(state()).toBe('ready');
      await ask(app, 'chat', { stream: false, keep_alive: 0 });
      await vi.advanceTimersByTimeAsync(1);
      expect(state()).toBe('absent');
      await ask(app, 'chat', { stream: false, keep_alive: -5 });
      await vi.advanceTimersByTimeAsync(1e8);
      expect(state()).toBe('ready');
    } finally {
      vi.useRealTimers();
    }
  });

  it.each(['', '5', '5 m', 'm', 'soon', '5m!', '5m'.repeat(40)])('[O09] refuses the text `%s`', async (text) => {
    const { app } = await buildApp();
    const { status, json } = await ask(app, 'chat', { keep_alive: text });
    expect([status, json]).toEqual([400, { error: expect.stringContaining('keep_alive') }]);
  });

  it('[O09] takes numbers with units', async () => {
    const { app } = await buildApp();
    for (const keep_alive of ['5m', '1h30m', '300ms', '1.5h', '-1s', '0', 30, 0.5, null])
      expect([keep_alive, (await ask(app, 'chat', { keep_alive })).status]).toEqual([keep_alive, 200]);
  });
});
