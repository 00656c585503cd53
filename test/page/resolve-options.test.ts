import { describe, expect, it } from 'vitest';
import { DEFAULT_MODELS } from '../../src/core/models/default-catalog.js';
import type { ModelEntry } from '../../src/core/models/model-entry.js';
import { PROTOCOL_VERSION } from '../../src/relay/protocol.js';
import { engineGroup } from '../../src/page/engine-group.js';
import { resolveOptions } from '../../src/page/resolve-options.js';
import type { InferenceOptions } from '../../src/page/start-options.js';

const PAGE = 'https://app.test/some/page';
const resolve = (options: InferenceOptions, pageURL = PAGE) =>
  resolveOptions(options, { origin: 'https://app.test', pageURL });

describe('resolveOptions', () => {
  it('has a default for everything', () => {
    expect(resolve({})).toMatchObject({
      models: DEFAULT_MODELS,
      apiKeys: undefined,
      requestTimeout: 600,
      prefix: '/v1',
      intercept: [],
      serviceWorker: 'https://app.test/inpage-sw.js',
      crossOriginIsolation: false,
    });
  });

  it('keeps what is given, in one spelling', () => {
    const options = resolve({
      intercept: ['https://api.openai.com/v1/'],
      serviceWorker: 'sw.js',
      prefix: '/ai/v1',
    });
    expect(options).toMatchObject({
      intercept: ['https://api.openai.com/v1'],
      serviceWorker: 'https://app.test/some/sw.js',
      prefix: '/ai/v1',
    });
    expect(resolve({ serviceWorker: false }).serviceWorker).toBe(false);
    expect(resolve({ hub: 'https://mirror.example/hf' }).hubURL).toBe('https://mirror.example/hf');
  });

  it('takes upstream models of other services, also of this origin', () => {
    const upstream = { id: 'far', task: 'chat', backend: 'upstream' } as const;
    const models = ['https://api.openai.com/v1', '/api/v1', '/v1x'].map((source, index) => ({
      ...upstream,
      id: `far-${index}`,
      source,
    }));
    expect(resolve({ models }).models).toEqual(models);
  });

  const chat = { id: 'a', task: 'chat', backend: 'scripted' };
  it.each<[unknown, string]>([
    [{ models: {} }, 'models'],
    [{ models: [null] }, 'models.0'],
    [{ models: [chat, { ...chat, id: '' }] }, 'models.1.id'],
    [{ models: [{ ...chat, task: 'video' }] }, 'models.0.task'],
    [{ models: [{ ...chat, backend: 'gpu' }] }, 'models.0.backend'],
    [{ models: [{ ...chat, backend: 'transformers', source: 'https://[/' }] }, 'models.0'],
    [{ models: [{ ...chat, backend: 'transformers', source: 5 }] }, 'models.0'],
    [{ models: [{ ...chat, backend: 'transformers', device: 'gpu' }] }, 'models.0.device'],
    [{ models: [{ ...chat, backend: 'transformers', dtype: 'q9' }] }, 'models.0.dtype'],
    [{ models: [{ ...chat, backend: 'transformers', dtype: 4 }] }, 'models.0.dtype'],
    [{ models: [{ ...chat, backend: 'transformers', dtype: { cpu: 'q4' } }] }, 'models.0.dtype'],
    [{ models: [{ ...chat, backend: 'transformers', dtype: { wasm: 8 } }] }, 'models.0.dtype'],
    [{ models: [{ ...chat, backend: 'transformers', dtype: { vision_encoder: { wasm: 'q8' } } }] }, 'models.0.dtype'],
    [{ models: [chat, chat] }, 'models'],
    [{ models: [{ ...chat, backend: 'upstream' }] }, 'models.0'],
    [{ models: [{ ...chat, backend: 'upstream', source: 'https://[/' }] }, 'models.0'],
    // It would ask itself.
    [{ models: [chat, { ...chat, id: 'b', backend: 'upstream', source: '/v1/' }] }, 'models.1.source'],
    [
      {
        models: [{ ...chat, backend: 'upstream', source: 'https://a.test/v1' }],
        intercept: ['https://a.test/'],
      },
      'models.0.source',
    ],
    [{ models: [{ ...chat, script: { replies() {} } }] }, 'models'],
    [{ models: new Proxy([chat], {}) }, 'models'],
    [{ rateLimits: { requestsPerMinute: 5, log() {} } }, 'rateLimits'],
    [{ apiKeys: 'key' }, 'apiKeys'],
    [{ apiKeys: ['key', { revoked: true }] }, 'apiKeys.1'],
    [{ apiKeys: [null] }, 'apiKeys.0'],
    [{ rateLimits: 5 }, 'rateLimits'],
    [{ rateLimits: { requestsPerMinute: 0.5 } }, 'rateLimits.requestsPerMinute'],
    [{ rateLimits: { requestsPerDay: -1 } }, 'rateLimits.requestsPerDay'],
    [{ requestTimeout: 0 }, 'requestTimeout'],
    [{ requestTimeout: Number.NaN }, 'requestTimeout'],
    [{ prefix: 'v1' }, 'prefix'],
    [{ prefix: '/' }, 'prefix'],
    [{ prefix: '/v1/' }, 'prefix'],
    [{ prefix: '/../v1' }, 'prefix'],
    [{ intercept: 'https://a.test' }, 'intercept'],
    [{ intercept: ['https://a.test', '/v1'] }, 'intercept.1'],
    [{ intercept: ['https://a.test/?x'] }, 'intercept.0'],
    [{ serviceWorker: true }, 'serviceWorker'],
    [{ crossOriginIsolation: 'credentialless' }, 'crossOriginIsolation'],
    [{ onProgress: 1 }, 'onProgress'],
    [{ hub: 'mirror.example' }, 'hub'],
  ])('refuses %j and names %s', (options, param) => {
    expect(() => resolve(options as InferenceOptions)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param }) as Error,
    );
  });
});

describe('engineGroup', () => {
  const group = (options: InferenceOptions, page = PAGE): Promise<string> => engineGroup(resolve(options, page), page);

  it('is the same for options that mean the same', async () => {
    const model = { id: 'a', task: 'chat', backend: 'scripted' } as const;
    const reordered = { backend: 'scripted', task: 'chat', id: 'a' } as const;
    expect(await group({ models: [model], requestTimeout: 600 })).toBe(
      await group({ models: [reordered], onProgress() {} }),
    );
  });

  it('differs where the service would differ, and gives no key away', async () => {
    const groups = await Promise.all([
      group({}),
      group({ models: [] }),
      group({ apiKeys: ['sk-secret'] }),
      group({ prefix: '/v2' }),
    ]);
    expect(new Set(groups).size).toBe(4);
    expect(groups.join()).not.toContain('sk-secret');
  });

  it('differs between versions, whose messages differ', async () => {
    expect(await group({})).toMatch(new RegExp(`^/v1:${PROTOCOL_VERSION}:`));
  });

  const model: ModelEntry = { id: 'a', task: 'chat', backend: 'transformers', source: 'models/a/b' };
  const web: ModelEntry = { ...model, backend: 'web-llm', source: 'owner/name' };
  it.each<[string, ModelEntry, boolean]>([
    ['a relative folder', model, false],
    ['an id that is a folder', { id: 'mine', task: 'chat', backend: 'transformers' }, false],
    ['a relative model library', { ...web, modelLibrary: 'lib.wasm' }, false],
    ['a folder from the root', { ...model, source: '/models/a' }, true],
    ['a hub id', { ...model, source: 'owner/name' }, true],
    ['a name of WebLLM’s list', { ...web, source: 'Llama-3.2-1B-Instruct-q4f32_1-MLC' }, true],
  ])('of pages in two folders, where the source is %s', async (_, entry, isShared) => {
    const options = { models: [entry] };
    const groups = [await group(options), await group(options, 'https://app.test/other/page')];
    expect(groups[0] === groups[1]).toBe(isShared);
  });
});
