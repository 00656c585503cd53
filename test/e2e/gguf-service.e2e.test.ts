/** What holds for any model on the device holds for one in a GGUF file; and what its engine costs a page. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GgufEntry, InferenceOptions } from '../../src/index.js';
import { tinyEncoder } from '../engines/gguf/support/tiny-encoder.js';
import { tinyFile } from '../engines/gguf/support/tiny-file.js';
import { started } from './support/host-page.js';
import { serveFolder } from './support/serve-demo.js';
import { withContexts } from './support/shared-chromium.js';

const demo = join(import.meta.dirname, '../../dist-demo');
const files = mkdtempSync(join(tmpdir(), 'inpage-gguf-service-'));
const CHAT: GgufEntry = {
  id: 'own',
  task: 'chat',
  backend: 'gguf',
  source: '/models/tiny-chat',
  file: 'tiny-chat-Q8_0.gguf',
};
const FRANCE = [{ role: 'user', content: 'What is the capital of France?' }];
const RULES = 'Always answer in one short sentence, and never say more than was asked. '.repeat(6);

let context: BrowserContext;
let app: Awaited<ReturnType<typeof serveFolder>>;
beforeAll(async () => {
  writeFileSync(join(files, 'tiny.gguf'), tinyFile({ metadata: { 'general.license': 'apache-2.0' } }));
  writeFileSync(join(files, 'embed-F32.gguf'), tinyEncoder({ pooling: 1 }));
  writeFileSync(join(files, 'rank.gguf'), tinyEncoder({ labels: 1 }));
  app = await serveFolder(demo, true, true, { '/gguf/': files });
});
afterAll(async () => {
  await app.close();
  rmSync(files, { recursive: true });
});
withContexts((fresh) => (context = fresh));

const open = async (options: InferenceOptions): Promise<Page> => {
  const page = await context.newPage();
  await page.goto(`${app.origin}/host.html#${encodeURIComponent(JSON.stringify(options))}`);
  await started(page);
  return page;
};

/** Status and body of an answer. */
function post(page: Page, path: string, body: object): Promise<{ status: number; text: string }> {
  return page.evaluate(
    async ([to, json]) => {
      const response = await fetch(`/v1/${to}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: json,
      });
      return { status: response.status, text: await response.text() };
    },
    [path, JSON.stringify(body)] as const,
  );
}

async function json<Answer>(page: Page, path: string, body: object): Promise<Answer> {
  const { status, text } = await post(page, path, body);
  expect([status, text]).toEqual([200, text]);
  return JSON.parse(text) as Answer;
}

interface Chat {
  choices: {
    message: { content: string; tool_calls?: { function: { name: string; arguments: string } }[] };
    logprobs?: { content: { logprob: number; top_logprobs: unknown[] }[] };
  }[];
}

describe('[W01] a model in a GGUF file', () => {
  it('answers in every dialect, as a whole and as a stream', async () => {
    const page = await open({ models: [CHAT] });
    const content = (answer: Chat): string => answer.choices[0]!.message.content;
    expect(content(await json<Chat>(page, 'chat/completions', { model: 'own', messages: FRANCE }))).toContain('Paris');
    const bodies: [string, object][] = [
      ['chat/completions', { messages: FRANCE }],
      ['completions', { prompt: 'The capital of France is', max_tokens: 8 }],
      ['messages', { messages: FRANCE, max_tokens: 20 }],
      ['responses', { input: 'What is the capital of France?', max_output_tokens: 20 }],
      ['api/chat', { messages: FRANCE }],
    ];
    for (const [path, body] of bodies) {
      for (const stream of [false, true]) {
        const { status, text } = await post(page, path, { model: 'own', ...body, stream });
        expect([path, status]).toEqual([path, 200]);
        // A stream says it in pieces.
        const said = stream
          ? [...text.matchAll(/"(?:content|text|delta)":"([^"]*)"/g)].map(([, piece]) => piece).join('')
          : text;
        expect([path, said]).toEqual([path, expect.stringMatching(path === 'completions' ? /\w/ : /Paris/)]);
      }
    }
  });

  it('samples by seeds, tells log-probabilities, follows schemas, calls tools, gives several choices', async () => {
    const page = await open({ models: [CHAT] });
    const ask = (more: object): Promise<Chat> =>
      json<Chat>(page, 'chat/completions', { model: 'own', messages: FRANCE, ...more });
    const messages = [{ role: 'user', content: 'Tell me a story.' }];
    const seeded = { messages, temperature: 1.5, seed: 5, max_tokens: 24, n: 2 };
    const [one, two] = [await ask(seeded), await ask(seeded)];
    expect(one.choices.map(({ message }) => message.content)).toEqual(
      two.choices.map(({ message }) => message.content),
    );
    expect(one.choices[0]!.message.content).not.toBe(one.choices[1]!.message.content);
    const told = await ask({ logprobs: true, top_logprobs: 3 });
    expect(told.choices[0]!.logprobs!.content[0]!.top_logprobs).toHaveLength(3);
    const schema = {
      type: 'object',
      properties: { city: { type: 'string', maxLength: 20 } },
      required: ['city'],
      additionalProperties: false,
    };
    const format = { type: 'json_schema', json_schema: { name: 'place', strict: true, schema } };
    const object = JSON.parse((await ask({ response_format: format })).choices[0]!.message.content) as object;
    expect(Object.keys(object)).toEqual(['city']);
    const tools = [{ type: 'function', function: { name: 'look_up', parameters: schema } }];
    const called = (await ask({ tools, tool_choice: 'required' })).choices[0]!.message.tool_calls!;
    expect(called[0]!.function.name).toBe('look_up');
    expect(Object.keys(JSON.parse(called[0]!.function.arguments) as object)).toEqual(['city']);
    const questions = [{ type: 'predicate', name: 'late', instructions: 'Was the parcel late?' }];
    const decided = await json<{ answers: { probability: number }[] }>(page, 'decisions', {
      model: 'own',
      input: 'It came three days late.',
      questions,
    });
    expect(decided.answers[0]!.probability).toBeGreaterThanOrEqual(0);
  });

  it('keeps prompts over reloads, and ends what is aborted', async () => {
    const options: InferenceOptions = { models: [CHAT], promptCache: '64MB' };
    const page = await open(options);
    const messages = [{ role: 'system', content: RULES }, ...FRANCE];
    await page.evaluate((prompt) => window.inference!.cachePrompt('own', prompt), messages);
    await page.close();
    const later = await open(options);
    const { usage } = await json<{ usage: { input_tokens_details: { cached_tokens: number } } }>(later, 'responses', {
      model: 'own',
      input: messages,
    });
    expect(usage.input_tokens_details.cached_tokens).toBeGreaterThanOrEqual(64);
    const reason = await later.evaluate(async () => {
      const controller = new AbortController();
      const body = {
        model: 'own',
        stream: true,
        max_tokens: 900,
        logit_bias: { 2: -100 },
        messages: [{ role: 'user', content: 'A story.' }],
      };
      const response = await fetch('/v1/chat/completions', {
        method: 'POST',
        signal: controller.signal,
        body: JSON.stringify(body),
      });
      const reader = response.body!.getReader();
      await reader.read();
      controller.abort();
      try {
        for (;;) if ((await reader.read()).done) return 'end';
      } catch (thrown) {
        return (thrown as Error).name;
      }
    });
    expect(reason).toBe('AbortError');
    await later.waitForFunction(() => window.inference!.status()[0]!.state === 'ready');
  });

  it('embeds and ranks', async () => {
    const page = await open({
      models: [
        { id: 'embed', task: 'embeddings', backend: 'gguf', source: '/gguf/embed-F32.gguf' },
        { id: 'rank', task: 'rerank', backend: 'gguf', source: '/gguf/rank.gguf' },
      ],
    });
    const { data } = await json<{ data: { embedding: number[] }[] }>(page, 'embeddings', {
      model: 'embed',
      input: ['a cat', 'a dog'],
    });
    for (const { embedding } of data) expect(Math.hypot(...embedding)).toBeCloseTo(1, 4);
    const ranked = await json<{ results: { relevance_score: number }[] }>(page, 'rerank', {
      model: 'rank',
      query: 'cat',
      documents: ['a cat', 'a dog'],
    });
    expect(ranked.results.map(({ relevance_score: score }) => score > 0 && score < 1)).toEqual([true, true]);
  });

  it('tells what it is and what it runs on; the query of its URL is sent', async () => {
    const asked: string[] = [];
    context.on('request', (request) => asked.push(new URL(request.url()).pathname + new URL(request.url()).search));
    const entry: GgufEntry = { id: 'tiny', task: 'chat', backend: 'gguf', source: '/gguf/tiny.gguf?token=1' };
    const page = await open({ models: [entry, { ...entry, id: 'named', metadata: { license: 'mit' } }] });
    await page.evaluate(async () => {
      await window.inference!.load('tiny');
      await window.inference!.load('named');
    });
    const [status] = await page.evaluate(() => window.inference!.status());
    expect(status).toMatchObject({ backend: 'gguf', device: 'wasm', threads: 1, dtype: 'q8_0', contextLength: 512 });
    const listed = await page.evaluate(async () => {
      const { data } = (await (await fetch('/v1/models?verbose=true')).json()) as {
        data: { vendor_metadata: object }[];
      };
      return data.map(({ vendor_metadata: metadata }) => metadata);
    });
    const told = { architecture: 'llama', overview: 'Tiny, Q8_0' };
    expect(listed).toMatchObject([
      { ...told, license: 'apache-2.0' },
      { ...told, license: 'mit' },
    ]);
    const own = asked.filter((url) => url.startsWith('/gguf/'));
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter((url) => url !== '/gguf/tiny.gguf?token=1')).toEqual([]);
  });

  it('neither hears nor speaks', async () => {
    const tasks = ['speech-to-text', 'text-to-speech'] as const;
    const models = tasks.map((task) => ({ id: task, task, backend: 'gguf', source: '/gguf/tiny.gguf' }));
    const page = await open({ models: models as unknown as GgufEntry[] });
    for (const task of tasks) {
      const code = await page.evaluate(
        (id) =>
          window.inference!.load(id).then(
            () => 'loaded',
            (error: { code: string }) => error.code,
          ),
        task,
      );
      expect([task, code]).toEqual([task, 'model_not_supported']);
    }
  });

  it('[W60] [W61] [W62] runs on WASM where there is no GPU, says why, and fetches nothing for one', async () => {
    const urls: string[] = [];
    context.on('request', (request) => urls.push(request.url()));
    const only = await open({ models: [{ ...CHAT, device: 'webgpu' }] });
    const refused = await only.evaluate(() =>
      window.inference!.load('own').then(
        () => ({ code: 'loaded', message: '' }),
        ({ code, message }: { code: string; message: string }) => ({ code, message }),
      ),
    );
    expect(refused.code).toBe('insufficient_resources');
    expect(refused.message).toContain('device: "auto"');
    const auto = await open({ models: [{ ...CHAT, device: 'auto' }] });
    expect((await post(auto, 'chat/completions', { model: 'own', messages: FRANCE, max_tokens: 2 })).status).toBe(200);
    const [status] = await auto.evaluate(() => window.inference!.status());
    expect(status).toMatchObject({ device: 'wasm', deviceReason: expect.stringMatching(/^It does not run on WebGPU/) });
    expect(urls.filter((url) => url.includes('gguf-webgpu'))).toEqual([]);
  });
});

describe('[W17] the engine of GGUF files', () => {
  const fetchedBy = async (options: InferenceOptions, model: string, path: string, body: object): Promise<string[]> => {
    const urls: string[] = [];
    context.on('request', (request) => urls.push(request.url()));
    const page = await open(options);
    expect((await post(page, path, { model, ...body })).status).toBe(200);
    await page.close();
    return urls;
  };

  it('is fetched by no page that has no such model', async () => {
    const embed = {
      id: 'tiny-embed',
      task: 'embeddings',
      backend: 'transformers',
      source: '/models/tiny-embed',
    } as const;
    const urls = await fetchedBy({ models: [embed] }, 'tiny-embed', 'embeddings', { input: 'a cat' });
    expect(urls.some((url) => /ort-wasm/.test(url))).toBe(true);
    expect(urls.filter((url) => /gguf/i.test(url))).toEqual([]);
  });

  it('is at most 60 kB of the page’s own origin; ONNX Runtime is not fetched beside it', async () => {
    const entry: GgufEntry = { id: 'tiny', task: 'chat', backend: 'gguf', source: '/gguf/tiny.gguf' };
    const urls = await fetchedBy({ models: [entry] }, 'tiny', 'chat/completions', { messages: FRANCE, max_tokens: 4 });
    expect(urls.filter((url) => !url.startsWith(app.origin))).toEqual([]);
    expect(urls.filter((url) => /ort-|onnx|transformers/i.test(url))).toEqual([]);
    const engine = [...new Set(urls)].filter((url) => /gguf[^/]*\.(js|wasm)$/.test(url));
    expect(engine.filter((url) => url.endsWith('.wasm'))).toHaveLength(1);
    const bytes = engine.map((url) => gzipSync(readFileSync(join(demo, new URL(url).pathname)), { level: 9 }).length);
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(60_000);
  });
});
