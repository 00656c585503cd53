import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { LoadOptions } from '../../../src/core/models/backend.js';
import { createWebLlmBackend } from '../../../src/engines/web-llm/web-llm-backend.js';
import type { TextModel } from '../../../src/language/decoding/create-text-model.js';
import type { LoadProgress, ModelEntry } from '../../../src/core/models/model-entry.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import type { Message } from '../../../src/core/request/message.js';
import { describeBackend } from '../../contract/backend-contract.js';
import { buildApp } from '../../support/build-app.js';
import {
  type FakeBrowser,
  fakeBrowser,
  type FakeBrowserOptions,
  manifestOf,
  WEIGHT_BYTES,
} from './fake-environment.js';
import { collectEvents, piecesOf, textOf } from '../../support/token-events.js';

const PREBUILT = 'Qwen2.5-0.5B-Instruct-q4f32_1-MLC';

const custom: ModelEntry = {
  id: 'mine',
  task: 'chat',
  backend: 'web-llm',
  source: '/models/mine',
  modelLibrary: '/models/mine/model.wasm',
};

function optionsWith(changes: Partial<LoadOptions> = {}): LoadOptions {
  return {
    onProgress: () => {},
    signal: new AbortController().signal,
    assetsURL: 'http://localhost/inpage/',
    pageURL: 'http://localhost/app/',
    ...changes,
  };
}

async function load(
  browser: FakeBrowser,
  entry: Partial<ModelEntry> = {},
  options: Partial<LoadOptions> = {},
): Promise<TextModel> {
  return (await createWebLlmBackend(browser.environment).load(
    { ...custom, ...entry },
    optionsWith(options),
  )) as TextModel;
}

async function loadFake(
  options: FakeBrowserOptions = {},
  entry: Partial<ModelEntry> = {},
): Promise<FakeBrowser & { model: TextModel }> {
  const browser = fakeBrowser(options);
  return { ...browser, model: await load(browser, entry) };
}

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const assistant = (text: string): Message => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
  toolCalls: [],
});

function ask(messages: Message[], changes: Partial<GenerationRequest> = {}): GenerationRequest {
  return { ...plainGenerationRequest('mine', { type: 'chat', messages }), maxTokens: 6, ...changes };
}

async function collect(model: TextModel, request: GenerationRequest, signal = new AbortController().signal) {
  const events = await collectEvents(model.generate(request, signal));
  const prompt = events.find((event) => event.type === 'prompt')!;
  return { events, prompt, text: textOf(events), tokens: piecesOf(events) };
}

describeBackend('web-llm with a fake engine', {
  load: async () => (await loadFake()).model,
  skip: [
    {
      reason: 'WebLLM holds one sequence, in which a question follows the input',
      tests: ['[D08] finds the input in the prefix cache when it is asked again'],
    },
  ],
});

describe('loading', () => {
  it('tells progress in bytes of the weights, then shaders', async () => {
    const seen: LoadProgress[] = [];
    const model = await load(fakeBrowser(), {}, { onProgress: (progress) => void seen.push(progress) });
    expect([...new Set(seen.map(({ stage }) => stage))]).toEqual(['download', 'initialize']);
    expect(seen.filter(({ file }) => file === 'tokenizer.json').at(-1)).toMatchObject({ stage: 'download' });
    expect(seen.at(-1)).toMatchObject({ loadedBytes: WEIGHT_BYTES, totalBytes: WEIGHT_BYTES });
    expect(seen.every(({ model: id }) => id === 'mine')).toBe(true);
    expect(model.info).toEqual({
      contextLength: 1024,
      device: 'webgpu',
      threads: 1,
      dtype: 'q4f32_1',
      toolFormat: 'hermes',
      reasoningFormat: 'think-tags',
      images: false,
    });
  });

  it('reads a plain folder as it is, and nothing but the entry’s own URLs', async () => {
    const { fetched } = await loadFake();
    expect(fetched.filter((url) => !url.startsWith('http://localhost/models/mine/'))).toEqual([]);
    expect(fetched.some((url) => url.includes('resolve'))).toBe(false);
  });

  it('loads a second time from the store', async () => {
    const weights = { 'params_shard_0.bin': 'weights', 'params_shard_1.bin': 'weights', 'model.wasm': 'library' };
    const browser = fakeBrowser({ files: weights });
    await load(browser);
    const before = browser.fetched.length;
    await load(browser);
    expect(browser.fetched).toHaveLength(before);
  });

  it('takes models of WebLLM’s list by id', async () => {
    const browser = fakeBrowser();
    const entry: ModelEntry = { id: PREBUILT, task: 'chat', backend: 'web-llm' };
    await createWebLlmBackend(browser.environment).load(entry, optionsWith());
    const folder = `https://huggingface.co/mlc-ai/${PREBUILT}/resolve/main/`;
    const others = browser.fetched.filter((url) => !url.startsWith(folder));
    // The library comes from where WebLLM's list says, the hashes from the hub.
    expect(others.map((url) => new URL(url).host).toSorted()).toEqual(['huggingface.co', 'raw.githubusercontent.com']);
  });

  it('takes the list’s models that see; where their engine shows no image input, they see nothing', async () => {
    const browser = fakeBrowser();
    const entry: ModelEntry = { id: 'Phi-3.5-vision-instruct-q4f16_1-MLC', task: 'chat', backend: 'web-llm' };
    const model = (await createWebLlmBackend(browser.environment).load(entry, optionsWith())) as TextModel;
    expect(model.info.images).toBe(false);
    const picture = { type: 'image', mediaType: 'image/png', bytes: new Uint8Array(8) } as const;
    const asked = collect(model, ask([{ role: 'user', content: [picture] }]));
    await expect(asked).rejects.toMatchObject({ code: 'unsupported_content' });
  });

  it('keeps a template for tools apart from the plain one', async () => {
    const templates = {
      default: '{% for message in messages %}{{ message.content }}{% endfor %}',
      tool_use: '{% for tool in tools %}{{ tool.function.name }}{% endfor %}{{ messages[0].content }}',
    };
    const list = Object.entries(templates).map(([name, template]) => ({ name, template }));
    const { model } = await loadFake({ files: { 'tokenizer_config.json': { chat_template: list } } });
    const count = (changes?: Partial<GenerationRequest>): Promise<number> =>
      model.countTokens(ask([user('Hi')], changes), new AbortController().signal);
    const plain = await count();
    expect(plain).toBeGreaterThan(0);
    expect(await count({ tools: [{ name: 'get_weather', parameters: {} }] })).toBeGreaterThan(plain);
  });

  it('refuses a chat template that cannot be rendered', async () => {
    const loading = loadFake({ files: { 'tokenizer_config.json': { chat_template: '{% for m in messages %}' } } });
    await expect(loading).rejects.toMatchObject({
      code: 'model_not_supported',
      message: expect.stringContaining('chat template cannot be rendered'),
    });
  });

  it('takes the template that lies beside the tokenizer’s config', async () => {
    const { chat_template: _, ...config } = JSON.parse(
      readFileSync(new URL('../../../public/models/tiny-chat/tokenizer_config.json', import.meta.url), 'utf8'),
    ) as Record<string, unknown>;
    const files = {
      'tokenizer_config.json': config,
      'chat_template.jinja':
        "{{ '[TOOL_CALLS]' if tools }}{{ tools[0].function.name if tools }}{{ messages[0].content }}",
    };
    const { model } = await loadFake({ files });
    expect(model.info.toolFormat).toBe('mistral');
  });

  it('passes a shorter context on, so that less memory is taken', async () => {
    const { model, record } = await loadFake({}, { contextLength: 256 });
    expect(model.info.contextLength).toBe(256);
    expect(record.engines[0]!.chatOptions).toMatchObject({ context_window_size: 256, repetition_penalty: 1 });
  });

  it('takes the context of the model where the entry has a longer one', async () => {
    const { model, record } = await loadFake({}, { contextLength: 100_000 });
    expect(model.info.contextLength).toBe(1024);
    expect(record.engines[0]!.chatOptions).toMatchObject({ context_window_size: 1024 });
  });

  it('can be cancelled while WebLLM waits, and ends the engine', async () => {
    const browser = fakeBrowser();
    browser.gpu.requestAdapter = hangAfterFirst(browser.gpu.requestAdapter.bind(browser.gpu));
    const controller = new AbortController();
    const loading = load(browser, {}, { signal: controller.signal });
    await expect.poll(() => browser.record.engines).toHaveLength(1);
    controller.abort();
    await expect(loading).rejects.toMatchObject({ code: 'cancelled' });
    expect(browser.record.engines[0]!.unloaded).toBe(true);
  });

  it.each([
    ['ShaderF16SupportError', 'insufficient_resources'],
    ['FeatureSupportError', 'insufficient_resources'],
    ['DeviceLostError', 'insufficient_resources'],
    ['QuotaExceededError', 'insufficient_resources'],
    ['WindowSizeSpecificationError', 'invalid_request'],
    ['UnsupportedTokenizerFilesError', 'model_not_supported'],
  ])('%s becomes %s', async (name, code) => {
    const failReload = Object.assign(new Error('/home/someone/secret'), { name });
    const failure = load(fakeBrowser({ failReload }));
    await expect(failure).rejects.toMatchObject({ code });
    await expect(failure).rejects.not.toThrow(/secret/);
  });

  it('gives the reason of what it does not know, for the page', async () => {
    const failReload = new TypeError('The library does not fit.\n    at somewhere');
    await expect(load(fakeBrowser({ failReload }))).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The model `mine` could not be loaded. TypeError: The library does not fit.',
      details: { reason: 'TypeError: The library does not fit.' },
    });
  });

  it('says which file is missing', async () => {
    await expect(load(fakeBrowser({ files: { 'mlc-chat-config.json': undefined } }))).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('mlc-chat-config.json'),
    });
    await expect(load(fakeBrowser({ files: { 'tokenizer.json': undefined } }))).rejects.toMatchObject({
      code: 'model_not_supported',
    });
  });
});

describe('who samples', () => {
  const hello = ask([user('Hello!')]);
  const longer = ask([user('word '.repeat(400))]);
  const drawn = { temperature: 0.7, topP: 0.9 };

  it('is WebLLM where nothing reads the logits: no logits are captured, and none cross to the CPU', async () => {
    const { model, record } = await loadFake();
    const greedy = await collect(model, hello);
    const read = await collect(model, { ...hello, topLogprobs: 0 });
    expect(record.sampled.length).toBe(greedy.tokens.length);
    expect(record.sampled.every(({ top_p: topP }) => topP < 1e-4)).toBe(true);
    // The same answer as from the logits themselves.
    expect(record.tapped).toBe(read.tokens.length);
    expect(greedy.text).toBe(read.text);
    await collect(model, { ...hello, sampling: drawn });
    expect(record.sampled.at(-1)).toEqual({ temperature: 0.7, top_p: 0.9 });
    expect(record.tapped).toBe(read.tokens.length);
  });

  it.each<[string, Partial<GenerationRequest>]>([
    ['log-probabilities', { topLogprobs: 2 }],
    ['a bias', { sampling: { logitBias: { 5: 1 } } }],
    ['a repetition penalty', { sampling: { repetitionPenalty: 1.2 } }],
    ['a seed', { sampling: { ...drawn, seed: 1 } }],
    ['top_k', { sampling: { ...drawn, topK: 40 } }],
  ])('is our own code with %s, which reads the logits of the last piece of a prompt only', async (_, changes) => {
    const { model, record } = await loadFake();
    const { tokens } = await collect(model, { ...longer, ...changes, maxTokens: 1 });
    expect(tokens).toHaveLength(1);
    expect(record.tapped).toBe(1);
    expect(record.sampled).toHaveLength(record.passes.length - 1);
  });

  it('is our own code where a version of WebLLM keeps its settings elsewhere', async () => {
    const { model, record } = await loadFake({ hidesPipeline: true });
    const { tokens } = await collect(model, hello);
    expect(record.sampled).toEqual([]);
    expect(record.tapped).toBe(tokens.length);
  });

  it('is our own code after all where WebLLM chose what is no token', async () => {
    const plain = await loadFake();
    const { model, record } = await loadFake({ padding: 90 });
    const answer = await collect(model, { ...longer, maxTokens: 2 });
    expect(answer.text).toBe((await collect(plain.model, { ...longer, maxTokens: 2 })).text);
    expect(record.tapped).toBe(answer.tokens.length);
  });
});

describe('prefix reuse', () => {
  it('keeps the keys and values of a conversation that goes on', async () => {
    const { model, record } = await loadFake();
    const question = user('Hello! Who are you?');
    const first = await collect(model, ask([question]));
    expect(first.prompt).toMatchObject({ cachedTokens: 0 });
    const passes = record.passes.length;
    const second = await collect(model, ask([question, assistant(first.text), user('And then?')]));
    const { cachedTokens, promptTokens } = second.prompt as { cachedTokens: number; promptTokens: number };
    expect(cachedTokens).toBeGreaterThan(0);
    expect(record.passes[passes]).toBe(promptTokens - cachedTokens);
  });

  it('[X26] reuses what the caller itself or the app has sent, nothing of another caller', async () => {
    const { model } = await loadFake();
    const turns = [user('Hello! Who are you?')];
    const cachedFor = async (caller: string | undefined): Promise<number> => {
      const { text, prompt } = await collect(model, ask(turns, caller === undefined ? {} : { caller }));
      turns.push(assistant(text), user('And then?'));
      return (prompt as { cachedTokens: number }).cachedTokens;
    };
    // Every turn continues all that the engine holds.
    expect(await cachedFor(undefined)).toBe(0);
    expect(await cachedFor('a')).toBeGreaterThan(0);
    expect(await cachedFor('a')).toBeGreaterThan(0);
    expect(await cachedFor('b')).toBe(0);
    expect(await cachedFor(undefined)).toBe(0);
    expect(await cachedFor('b')).toBeGreaterThan(0);
  });

  it('gives the same answer with and without reuse', async () => {
    const history = [user('Hi'), assistant('Hello.'), user('Go on.')];
    const fresh = await loadFake();
    const cold = await collect(fresh.model, ask(history));
    const warmed = await loadFake();
    await collect(warmed.model, ask([user('Hi')], { maxTokens: 1 }));
    const warm = await collect(warmed.model, ask(history));
    expect(warm.prompt).toMatchObject({ cachedTokens: expect.toSatisfy((count: number) => count > 0) });
    expect(warm.text).toBe(cold.text);
  });

  it('begins anew when the prompt is another one', async () => {
    const { model, record } = await loadFake();
    await collect(model, ask([user('Hello!')]));
    const resets = record.resets;
    expect((await collect(model, ask([user('Something else.')]))).prompt).toMatchObject({ cachedTokens: 0 });
    expect(record.resets).toBe(resets + 1);
  });

  it('reads long prompts in pieces', async () => {
    const { model, record } = await loadFake();
    await collect(model, ask([user('word '.repeat(400))], { maxTokens: 1 }));
    expect(Math.max(...record.passes)).toBe(256);
    expect(record.passes.length).toBeGreaterThan(1);
  });
});

describe('cancelling', () => {
  it('100 streams at random points: the engine is free each time', async () => {
    const { model } = await loadFake({ passMs: 1 });
    const random = randomNumbers(5);
    const long = user('word '.repeat(300));
    for (let count = 0; count < 100; count++) {
      const controller = new AbortController();
      const messages = random() < 0.3 ? [long] : [user(`Hello ${count}`)];
      const stopAfter = Math.floor(random() * 8);
      if (random() < 0.4) setTimeout(() => controller.abort(), random() * 10);
      let seen = 0;
      const breaks = random() < 0.5;
      const run = async (): Promise<void> => {
        for await (const events of model.generate(ask(messages, { maxTokens: 12 }), controller.signal)) {
          if (piecesOf(events).length > 0 && seen++ >= stopAfter) {
            if (breaks) break;
            controller.abort();
          }
        }
      };
      const outcome = await run().then(
        () => 'ended',
        (error: { code: string }) => error.code,
      );
      expect(['ended', 'cancelled']).toContain(outcome);
      // The fake throws when a pass begins while another runs.
      const { tokens } = await collect(model, ask([user('Still there?')], { maxTokens: 2 }));
      expect(tokens).toHaveLength(2);
    }
  });

  it('stops between the pieces of a long prompt', async () => {
    const { model, record } = await loadFake({ passMs: 40 });
    const controller = new AbortController();
    const running = collect(model, ask([user('word '.repeat(700))]), controller.signal);
    await expect.poll(() => record.passes, { interval: 5 }).toHaveLength(1);
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
    expect(record.passes.length).toBeLessThanOrEqual(2);
  });
});

describe('losing the GPU', () => {
  it('during a generation: the stream fails, nothing hangs, `lost` tells why', async () => {
    const { model, gpu } = await loadFake({ passMs: 1 });
    const events: string[] = [];
    const run = async (): Promise<void> => {
      for await (const step of model.generate(ask([user('Hello')], { maxTokens: 50 }), new AbortController().signal)) {
        events.push(...step.map(({ type }) => type));
        if (events.length === 4) gpu.devices[0]!.lose();
      }
    };
    await expect(run()).rejects.toMatchObject({ code: 'unavailable' });
    expect(events).toContain('piece');
    await expect(model.lost).resolves.toMatchObject({ code: 'unavailable' });
    await model.unload();
  });

  it('while loading means that the model is too large', async () => {
    const browser = fakeBrowser({ files: { 'tensor-cache.json': manifestOf(4e9) } });
    const request = browser.gpu.requestAdapter.bind(browser.gpu);
    let asked = 0;
    browser.gpu.requestAdapter = async () => {
      if (++asked > 1) setTimeout(() => browser.gpu.devices[0]?.lose(), 1);
      return request();
    };
    // The engine never says that it is ready.
    const { environment } = browser;
    const library = await environment.importWebLlm();
    class StuckEngine extends library.MLCEngine {
      override reload = async (): Promise<void> => {
        const adapter = await browser.gpu.requestAdapter();
        await adapter!.requestDevice();
        await new Promise(() => {});
      };
    }
    const backend = createWebLlmBackend({
      ...environment,
      gpu: browser.gpu as unknown as GPU,
      importWebLlm: async () => ({ ...library, MLCEngine: StuckEngine }),
    });
    await expect(backend.load(custom, optionsWith())).rejects.toMatchObject({
      code: 'insufficient_resources',
      message: expect.stringMatching(/Use `.+` \(3\d{3} MB\) instead/),
    });
  });

  it('by unloading ends a generation that still runs', async () => {
    const { model, record } = await loadFake({ passMs: 1 });
    const run = async (): Promise<void> => {
      for await (const _ of model.generate(ask([user('Hello')], { maxTokens: 50 }), new AbortController().signal)) {
        void model.unload();
      }
    };
    await expect(run()).rejects.toMatchObject({ code: 'unavailable', message: 'The model was unloaded.' });
    expect(record.engines[0]!.unloaded).toBe(true);
  });

  it('leaves no wrapper on the browser’s GPU', async () => {
    const browser = fakeBrowser();
    const before = browser.gpu.requestAdapter;
    await load(browser);
    expect(browser.gpu.requestAdapter).toBe(before);
  });

  it('an engine that throws is given up, because its state is unknown', async () => {
    const failPass = { number: 3, error: new Error('kernel failed') };
    const { model } = await loadFake({ failPass });
    await expect(collect(model, ask([user('Hello')]))).rejects.toMatchObject({ code: 'unavailable' });
    await expect(model.lost).resolves.toMatchObject({ code: 'unavailable' });
  });

  it('the service rebuilds the engine, goes on with the stream and serves the queue', async () => {
    const browser = fakeBrowser({ passMs: 1 });
    const { app, inference } = await buildApp({
      models: [custom],
      backends: { 'web-llm': createWebLlmBackend(browser.environment) },
    });
    const post = (content: string, stream: boolean): Promise<Response> =>
      Promise.resolve(
        app.request('/v1/chat/completions', {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: 'Bearer any' },
          body: JSON.stringify({ model: 'mine', messages: [{ role: 'user', content }], max_tokens: 30, stream }),
        }),
      );
    await inference.load('mine');
    const first = await post('Hello', true);
    const reader = first.body!.getReader();
    await reader.read();
    const queued = [post('One', false), post('Two', false)];
    browser.gpu.devices[0]!.lose();
    let rest = '';
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      rest += new TextDecoder().decode(part.value);
    }
    expect(rest).not.toContain('"error"');
    expect(rest).toMatch(/data: \[DONE\]\n\n$/);
    for (const response of await Promise.all(queued)) expect(response.status).toBe(200);
    expect(browser.gpu.devices).toHaveLength(2);
    await inference.stop();
  });
});

/** The first call answers, later ones never do. */
function hangAfterFirst<Value>(call: () => Promise<Value>): () => Promise<Value> {
  let calls = 0;
  return () => (calls++ === 0 ? call() : new Promise<Value>(() => {}));
}

function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
