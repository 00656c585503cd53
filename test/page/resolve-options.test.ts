import { describe, expect, it } from 'vitest';
import { DEFAULT_MODELS } from '../../src/core/models/default-catalog.js';
import type { TransformersEntry, TypedModelEntry, WebLlmEntry } from '../../src/core/models/model-entry.js';
import { PROTOCOL_VERSION } from '../../src/relay/protocol.js';
import { serviceGroup } from '../../src/page/service-group.js';
import { resolveOptions } from '../../src/page/resolve-options.js';
import type { InferenceOptions } from '../../src/core/models/inference-options.js';

const PAGE = 'https://app.test/some/page';
const resolve = (options: InferenceOptions, pageURL = PAGE) =>
  resolveOptions(options, { origin: 'https://app.test', pageURL });

describe('resolveOptions', () => {
  it('has a default for everything', () => {
    const shared = { prefix: '/v1' };
    expect(resolve({})).toEqual({
      gateway: { ...shared, models: DEFAULT_MODELS, requestTimeout: 600 },
      model: { hub: 'https://huggingface.co' },
      serviceWorker: {
        ...shared,
        intercept: [],
        serviceWorker: 'https://app.test/inpage-sw.js',
        crossOriginIsolation: false,
        routes: [],
        whenUnhosted: 'fail',
      },
      page: { onProgress: expect.any(Function) as unknown, routes: {} },
    });
    expect(resolve({ prefix: undefined, models: undefined } as object).gateway).toEqual(resolve({}).gateway);
  });

  it('keeps what is given, in one spelling', () => {
    const options = resolve({
      intercept: ['https://api.openai.com/v1/'],
      serviceWorker: 'sw.js',
      prefix: '/ai/v1',
    });
    expect(options.serviceWorker).toMatchObject({
      intercept: ['https://api.openai.com/v1'],
      serviceWorker: 'https://app.test/some/sw.js',
      prefix: '/ai/v1',
    });
    expect(resolve({ serviceWorker: false }).serviceWorker.serviceWorker).toBe(false);
    expect(resolve({ hub: 'https://mirror.example/hf' }).model.hub).toBe('https://mirror.example/hf');
  });

  it('takes keys of both kinds, and models with everything that an entry can say', () => {
    const everything = { apiKeys: ['a', { key: 'b' }], models: DEFAULT_MODELS, prefix: '/v1', intercept: [] } as const;
    expect(resolve(everything).gateway).toMatchObject({ apiKeys: ['a', { key: 'b' }], models: DEFAULT_MODELS });
  });

  const entry = { task: 'chat', backend: 'transformers', source: 'owner/name' } as const;

  it.each<[string, string, NonNullable<InferenceOptions['models']>]>([
    [
      'names no entry',
      'must be the id of another model, and there is no `smal`. Did you mean `small`?',
      [
        { ...entry, id: 'large', fallback: 'smal' },
        { ...entry, id: 'small' },
      ],
    ],
    ['names itself', 'does not lead back to this one', [{ ...entry, id: 'a', fallback: 'a' }]],
    [
      'leads back',
      'does not lead back to this one',
      [
        { ...entry, id: 'a', fallback: 'b' },
        { ...entry, id: 'b', fallback: 'a' },
      ],
    ],
    [
      'has another task',
      'the id of a model for chat, and `b` is one for embeddings',
      [
        { ...entry, id: 'a', fallback: 'b' },
        { ...entry, id: 'b', task: 'embeddings' },
      ],
    ],
  ])('refuses a fallback that %s', (_, message, models) => {
    const refusal = expect.objectContaining({
      code: 'invalid_request',
      message: expect.stringContaining(message) as string,
    });
    expect(() => resolve({ models })).toThrow(refusal);
  });

  it('takes a chain of fallbacks, by id or alias', () => {
    const models = [
      { ...entry, id: 'a', fallback: 'middle' },
      { ...entry, id: 'b', aliases: ['middle'], fallback: 'c' },
      { ...entry, id: 'c' },
    ];
    expect(resolve({ models }).gateway.models).toHaveLength(3);
  });

  it('[J32] refuses a fallback of the browser’s own embeddings, and takes them without', () => {
    const own = { id: 'a', task: 'embeddings', backend: 'built-in' } as const;
    const other = { id: 'b', task: 'embeddings', backend: 'scripted' } as const;
    expect(() => resolve({ models: [{ ...own, fallback: 'b' }, other] })).toThrow(
      'The option `models.0.fallback` must be left out, because vectors of two models cannot be compared',
    );
    expect(resolve({ models: [own, other] }).gateway.models).toHaveLength(2);
  });

  it.each(['speech-to-text', 'text-to-speech', 'rerank'])('[J33] refuses the browser’s own model for %s', (task) => {
    const models = [{ id: 'a', task, backend: 'built-in' }] as unknown as TypedModelEntry[];
    expect(() => resolve({ models })).toThrow(
      `The option \`models.0.task\` must be \`chat\` or \`embeddings\`, because the backend \`built-in\` has no models for ${task}.`,
    );
  });

  it('refuses a scripted model that has nothing to say', () => {
    const models = [{ id: 'a', task: 'chat', backend: 'scripted' }] as unknown as TypedModelEntry[];
    expect(() => resolve({ models })).toThrow('The option `models.0.script` must be an object with `replies`');
  });

  it('takes upstream models of other services, also of this origin', () => {
    const upstream = { id: 'far', task: 'chat', backend: 'upstream' } as const;
    const models = ['https://api.openai.com/v1', '/api/v1', '/v1x'].map((source, index) => ({
      ...upstream,
      id: `far-${index}`,
      source,
    }));
    expect(resolve({ models }).gateway.models).toEqual(models);
  });

  it('passes `compatibility` to every realm', () => {
    const { gateway, serviceWorker } = resolve({ compatibility: 'hosted' });
    expect([gateway.compatibility, serviceWorker.compatibility]).toEqual(['hosted', 'hosted']);
  });

  const chat = { id: 'a', task: 'chat', backend: 'scripted' };
  it.each<[unknown, string]>([
    [{ models: {} }, 'models'],
    [{ models: [null] }, 'models.0'],
    [{ models: [{ task: 'chat', backend: 'scripted' }] }, 'models.0.id'],
    [{ models: [{ ...chat, toolFormat: 'xml' }] }, 'models.0.toolFormat'],
    [{ models: [{ ...chat, contextLength: '2048' }] }, 'models.0.contextLength'],
    [{ models: [{ ...chat, metadata: { capabilities: 'chat' } }] }, 'models.0.metadata.capabilities'],
    [{ models: [{ ...chat, aliases: ['b', 5] }] }, 'models.0.aliases.1'],
    [{ models: [chat, { ...chat, id: '' }] }, 'models.1.id'],
    [{ models: [{ ...chat, task: 'video' }] }, 'models.0.task'],
    [{ models: [{ ...chat, backend: 'gpu' }] }, 'models.0.backend'],
    [{ models: [{ ...chat, backend: 'transformers', source: 'https://[/' }] }, 'models.0.source'],
    [{ models: [{ ...chat, backend: 'transformers', source: 5 }] }, 'models.0.source'],
    [{ models: [{ ...chat, backend: 'transformers', device: 'gpu' }] }, 'models.0.device'],
    [{ models: [{ ...chat, backend: 'transformers', dtype: 'q9' }] }, 'models.0.dtype'],
    [{ models: [{ ...chat, backend: 'transformers', dtype: 4 }] }, 'models.0.dtype'],
    [{ models: [{ ...chat, backend: 'transformers', dtype: { cpu: 'q4' } }] }, 'models.0.dtype'],
    [{ models: [{ ...chat, backend: 'transformers', dtype: { wasm: 8 } }] }, 'models.0.dtype'],
    [{ models: [{ ...chat, backend: 'transformers', dtype: { vision_encoder: { wasm: 'q8' } } }] }, 'models.0.dtype'],
    [{ models: [chat, chat] }, 'models'],
    [{ models: [{ ...chat, backend: 'upstream' }] }, 'models.0.source'],
    [{ models: [{ ...chat, backend: 'upstream', source: 'https://[/' }] }, 'models.0.source'],
    // It would ask itself.
    [{ models: [chat, { ...chat, id: 'b', backend: 'upstream', source: '/v1/' }] }, 'models.1.source'],
    [
      {
        models: [{ ...chat, backend: 'upstream', source: 'https://a.test/v1' }],
        intercept: ['https://a.test/'],
      },
      'models.0.source',
    ],
    [{ models: [{ ...chat, script: { replies() {} } }] }, 'models.0.script.replies'],
    [{ models: [{ id: 'tiny-embed', task: 'embeddings', backend: 'gguf' }] }, 'models.0.source'],
    [{ models: new Proxy([chat], {}) }, 'models'],
    [{ rateLimits: { requestsPerMinute: 5, log() {} } }, 'rateLimits.log'],
    [{ apiKeys: 'key' }, 'apiKeys'],
    [{ apiKeys: ['key', { revoked: true }] }, 'apiKeys.1.key'],
    [{ apiKeys: [null] }, 'apiKeys.0'],
    [{ apiKeys: [{ key: 'a', revoked: 'no' }] }, 'apiKeys.0.revoked'],
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
    [{ compatibility: 'azure' }, 'compatibility'],
    [{ compatibility: 'openai' }, 'compatibility'],
    [{ whenUnhosted: 'wait' }, 'whenUnhosted'],
    ...[0, -1, Number.NaN, Infinity, '', '256', '256 mb', '256MiB', '-1MB', '0MB', 'MB', true, null].map(
      (promptCache): [object, string] => [{ promptCache }, 'promptCache'],
    ),
  ])('refuses %j and names %s', (options, param) => {
    expect(() => resolve(options as InferenceOptions)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param }) as Error,
    );
  });

  it.each([
    [undefined, undefined],
    [5_000_000, 5_000_000],
    ['500kB', 500_000],
    ['256MB', 256_000_000],
    ['1.5 GB', 1_500_000_000],
  ])('[P01] reads the size of `promptCache`: %s is %s bytes', (promptCache, bytes) => {
    expect(resolve(promptCache === undefined ? {} : { promptCache }).model.promptCache).toBe(bytes);
  });

  const script = (reply: object): object => ({ models: [{ ...chat, script: { replies: [reply] } }] });
  it.each<[object, string, string]>([
    [{ model: [] }, 'model', 'models'],
    [{ ServiceWorker: false }, 'ServiceWorker', 'serviceWorker'],
    [{ models: [chat, { ...chat, sorce: '' }] }, 'models.1.sorce', 'source'],
    [{ models: [{ ...chat, dType: 'q4' }] }, 'models.0.dType', 'dtype'],
    [{ models: [{ ...chat, metadata: { licence: 'MIT' } }] }, 'models.0.metadata.licence', 'license'],
    [{ models: [{ ...chat, pricing: { promt: 1 } }] }, 'models.0.pricing.promt', 'prompt'],
    [{ models: [{ ...chat, script: { tokenDelay: 1 } }] }, 'models.0.script.tokenDelay', 'tokenDelayMs'],
    [script({ txt: 'Hi' }), 'models.0.script.replies.0.txt', 'text'],
    [script({ toolCalls: [{ nam: 'f' }] }), 'models.0.script.replies.0.toolCalls.0.nam', 'name'],
    [{ apiKeys: ['a', { key: 'b', revokd: true }] }, 'apiKeys.1.revokd', 'revoked'],
    [{ rateLimits: { requestPerMinute: 1 } }, 'rateLimits.requestPerMinute', 'requestsPerMinute'],
  ])('refuses %j: %s is no name, and names %s', (options, param, nearest) => {
    expect(() => resolve(options)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        param,
        message: expect.stringContaining(`Did you mean \`${nearest}\`?`) as string,
      }) as Error,
    );
  });

  it.each<[unknown, string]>([
    [null, 'The options must be an object with fields such as `models`, `apiKeys`, `rateLimits`.'],
    [{ requestTimeout: '5' }, 'The option `requestTimeout` must be a number of seconds above 0 and at most 2147483.'],
    [
      { models: [{ ...chat, task: 'video' }] },
      'The option `models.0.task` must be one of chat, embeddings, rerank, speech-to-text, text-to-speech.',
    ],
    [{ models: [{ id: 'a', task: 'chat' }] }, 'The option `models.0.backend` is missing.'],
    [{ compatibility: 'azure' }, 'The option `compatibility` must be one of service, hosted.'],
    [{ model: [] }, '`model` is not an option of startInference. Did you mean `models`?'],
    [
      { rateLimits: { perHour: 1 } },
      '`rateLimits.perHour` is not a field of `rateLimits`. Known are: requestsPerMinute, requestsPerDay.',
    ],
    // A wrong name says more than that the right one is missing.
    [
      { models: [{ id: 'a', task: 'chat', backnd: 'scripted' }] },
      '`models.0.backnd` is not a field of a model entry. Did you mean `backend`?',
    ],
  ])('says of %j what is wrong', (options, message) => {
    expect(() => resolve(options as InferenceOptions)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message }) as Error,
    );
  });
});

describe('serviceGroup', () => {
  const group = (options: InferenceOptions, page = PAGE): Promise<string> => serviceGroup(resolve(options, page), page);

  it('is the same for options that mean the same', async () => {
    const model = { id: 'a', task: 'chat', backend: 'transformers' } as const;
    const reordered = { backend: 'transformers', task: 'chat', id: 'a' } as const;
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

  const model: TransformersEntry = { id: 'a', task: 'chat', backend: 'transformers', source: 'models/a/b' };
  const web: WebLlmEntry = { id: 'a', task: 'chat', backend: 'web-llm', source: 'owner/name' };
  it.each<[string, TypedModelEntry, boolean]>([
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
