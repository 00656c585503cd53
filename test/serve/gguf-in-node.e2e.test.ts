/** `serve` of GGUF models without any browser: their engine runs in a thread of Node. */
import { type ChildProcess, spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once, setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Transferable, Worker } from 'node:worker_threads';
import { proxy, transfer } from 'comlink';
import OpenAI from 'openai';
import type { BrowserContext } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INFERENCE_OPTIONS } from '../../src/core/models/inference-options.js';
import { parseOptions } from '../../src/core/models/option-schema.js';
import { plainGenerationRequest } from '../../src/core/request/generation-request.js';
import { loadRemoteModel } from '../../src/service/remote-model.js';
import type { ModelEntry } from '../../src/index.js';
import type { ModelWorkerControl } from '../../src/engines/worker/model-worker.js';
import { ControlChannel } from '../../src/relay/control/control-channel.js';
import { MODEL_TIMING } from '../../src/relay/stream/call-timing.js';
import { openHost } from '../e2e/support/host-page.js';
import { withContexts } from '../e2e/support/shared-chromium.js';
import { hasRelaxedSimd } from '../support/relaxed-simd.js';

const root = join(import.meta.dirname, '../..');
const { serveInference } = (await import(join(root, 'dist/serve.js'))) as typeof import('../../src/serve/index.js');

/** Bundled: its file comes from the package. */
const MODELS: ModelEntry[] = [{ id: 'tiny-chat', task: 'chat', backend: 'gguf' }];
const GREEDY = { model: 'tiny-chat', temperature: 0 };
const QUESTIONS = ['What is the capital of France?', 'Tell me about the sea.', 'What is 2 + 3?'];
const asking = (content: string): [{ role: 'user'; content: string }] => [{ role: 'user', content }];

/** Makes an answer of some thousand tokens. */
const NUMBERS = { type: 'array', items: { type: 'integer' }, minItems: 900 };
const LONG = {
  type: 'json_schema' as const,
  json_schema: {
    name: 'numbers',
    schema: { type: 'object', properties: { numbers: NUMBERS }, required: ['numbers'], additionalProperties: false },
  },
};

/** A thread that believes to have so many cores, as `NodeWorker` has them. */
class ThreadWithCores extends EventTarget {
  readonly thread: Worker;

  constructor(cores: number) {
    super();
    const file = (name: string): string => JSON.stringify(pathToFileURL(join(root, 'dist', name)).href);
    const begin = `
      Object.defineProperty(globalThis, 'navigator', { value: { hardwareConcurrency: ${cores} }, configurable: true });
      import(${file('thread-worker.js')});`;
    // Files of the disk are read where they are, and nothing is kept.
    const { port1: locks } = new MessageChannel();
    const store = { port: locks, cacheFolder: undefined, run: 'test' };
    this.thread = new Worker(begin, {
      eval: true,
      workerData: { script: JSON.parse(file('model-worker.js')), name: 'inpage-model', store },
      transferList: [locks as unknown as Transferable],
    });
    this.thread.on('message', (data) => this.dispatchEvent(new MessageEvent('message', { data })));
    this.thread.on('exit', () => this.dispatchEvent(new Event('close')));
  }

  postMessage(message: unknown, transferred: Transferable[] = []): void {
    this.thread.postMessage(message, transferred);
  }
}

/** Loads a model in a thread of its own, and asks it. */
async function answerOnCores(cores: number, { origin, model }: { origin: string; model: string }) {
  const worker = new ThreadWithCores(cores);
  const { signal } = new AbortController();
  await new Promise((resolve) => worker.addEventListener('message', resolve, { once: true }));
  const control = new ControlChannel<ModelWorkerControl>(worker as unknown as globalThis.Worker, undefined);
  const { port1, port2 } = new MessageChannel();
  await control.call((peer) =>
    peer.serve(
      transfer(port2, [port2]),
      proxy(() => Promise.reject(new Error('none'))),
    ),
  );
  const loaded = await loadRemoteModel(
    { port: port1, lifeline: undefined, end: () => void worker.thread.terminate() },
    {
      entry: {
        ...parseOptions(INFERENCE_OPTIONS, { models: MODELS }).models.find(({ id }) => id === model)!,
        source: pathToFileURL(join(root, 'public/models/tiny-chat/tiny-chat-Q8_0.gguf')).href,
      },
      options: { assetsURL: `${origin}inpage/`, pageURL: origin },
    },
    { onProgress: () => {}, signal, timing: MODEL_TIMING },
  );
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: QUESTIONS[0]! }] }];
  const greedy = { ...plainGenerationRequest(model, { type: 'chat', messages }), sampling: { temperature: 0 } };
  let text = '';
  for await (const events of loaded.generate!(greedy, signal))
    for (const event of events)
      if (event.type === 'piece') for (const part of event.parts) if (part.type === 'text') text += part.text;
  await loaded.unload();
  return { threads: loaded.info.threads, text };
}

it('[Y33] several GGUF models answer side by side, also after an unload', async () => {
  const other = { ...MODELS[0]!, id: 'other', source: '/models/tiny-chat/', file: 'tiny-chat-Q8_0.gguf' } as ModelEntry;
  const server = await serveInference({ models: [...MODELS, other] });
  try {
    const client = new OpenAI({ baseURL: server.baseURL, apiKey: 'none', maxRetries: 0 });
    const answerOf = async (model: string): Promise<string | null | undefined> => {
      const { choices } = await client.chat.completions.create({ ...GREEDY, model, messages: asking(QUESTIONS[0]!) });
      return choices[0]?.message.content;
    };
    const both = ['tiny-chat', 'other'];
    expect(await Promise.all(both.map(answerOf))).toEqual(both.map(() => 'The capital of France is Paris.'));
    const unload = JSON.stringify({ model: 'other', keep_alive: 0 });
    expect((await fetch(`${server.baseURL}/api/generate`, { method: 'POST', body: unload })).status).toBe(200);
    expect(await Promise.all(both.map(answerOf))).toEqual(both.map(() => 'The capital of France is Paris.'));
  } finally {
    await server.close();
  }
});

describe('serve of a GGUF model', () => {
  let server: Awaited<ReturnType<typeof serveInference>>;
  let client: OpenAI;
  /** All that were started in this process, since this began. */
  const threads: Worker[] = [];
  const note = (message: unknown): void => void threads.push((message as { worker: Worker }).worker);
  beforeAll(async () => {
    subscribe('worker_threads', note);
    server = await serveInference({ models: MODELS });
    client = new OpenAI({ baseURL: server.baseURL, apiKey: 'none', maxRetries: 0 });
  });
  afterAll(async () => {
    await server.close();
    unsubscribe('worker_threads', note);
  });

  const answerTo = async (content: string): Promise<string | null | undefined> => {
    const { choices } = await client.chat.completions.create({ ...GREEDY, messages: asking(content) });
    return choices[0]?.message.content;
  };
  const streamOf = async (content: string): Promise<string[]> => {
    const pieces: string[] = [];
    for await (const { choices } of await client.chat.completions.create({
      ...GREEDY,
      messages: asking(content),
      stream: true,
    }))
      pieces.push(choices[0]?.delta.content ?? '');
    return pieces;
  };

  describe('beside a page', () => {
    let context: BrowserContext;
    withContexts((fresh) => (context = fresh));

    it('answers as the page does, as a whole and as a stream', async () => {
      const page = await openHost(context, { models: MODELS });
      const inPage = await page.evaluate(
        async ([bodies]) => {
          const answers: string[] = [];
          for (const body of bodies) {
            const response = await fetch('/v1/chat/completions', { method: 'POST', body });
            const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
            answers.push(choices[0]!.message.content);
          }
          return answers;
        },
        [QUESTIONS.map((content) => JSON.stringify({ ...GREEDY, messages: asking(content) }))] as const,
      );
      for (const [index, content] of QUESTIONS.entries()) {
        const pieces = await streamOf(content);
        expect(pieces.length).toBeGreaterThan(3);
        expect([pieces.join(''), await answerTo(content)]).toEqual([inPage[index], inPage[index]]);
      }
      expect(inPage[0]).toContain('Paris');
    });
  });

  it('keeps to a schema, and calls tools', async () => {
    const parameters = { type: 'object', properties: { city: { type: 'string', maxLength: 9 } }, required: ['city'] };
    const { choices } = await client.chat.completions.create({
      ...GREEDY,
      messages: asking('What is the weather in Paris?'),
      tools: [{ type: 'function', function: { name: 'weather', parameters } }],
      tool_choice: 'required',
    });
    const [call] = choices[0]!.message.tool_calls!;
    expect(call).toMatchObject({ type: 'function', function: { name: 'weather' } });
    expect(JSON.parse((call as { function: { arguments: string } }).function.arguments)).toEqual({
      city: expect.any(String),
    });
  });

  it('lets the engine go when its clients leave', async () => {
    const controller = new AbortController();
    setMaxListeners(0, controller.signal);
    const asked = { ...GREEDY, messages: asking('Count.'), response_format: LONG, stream: true as const };
    const opened = Array.from({ length: 24 }, () =>
      client.chat.completions.create(asked, { signal: controller.signal }),
    );
    const ends = Promise.allSettled(opened);
    for await (const _ of await opened[0]!) break;
    const thread = threads.at(-1)!;
    let before = thread.performance.eventLoopUtilization();
    const load = (): number => {
      const now = thread.performance.eventLoopUtilization();
      const { utilization } = thread.performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    };
    await expect.poll(load, { interval: 200 }).toBeGreaterThan(0.9);
    controller.abort();
    await ends;
    // All of them would keep it busy for minutes.
    await expect.poll(load, { interval: 200 }).toBeLessThan(0.5);
    expect(await answerTo(QUESTIONS[0]!)).toContain('Paris');
  });

  it('goes on in a new thread where one has ended', async () => {
    const whole = await answerTo(QUESTIONS[1]!);
    const thread = threads.at(-1)!;
    const asked = { ...GREEDY, messages: asking(QUESTIONS[1]!), stream: true as const };
    const stream = await client.chat.completions.create(asked);
    let written = '';
    for await (const { choices } of stream) {
      written += choices[0]?.delta.content ?? '';
      if (written !== '') await thread.terminate();
    }
    // It goes on in the new thread.
    expect(written).toBe(whole);
    expect(await answerTo(QUESTIONS[0]!)).toContain('Paris');
    expect(threads.at(-1)).not.toBe(thread);
  });

  it('answers alike with several threads of the engine', async () => {
    const asked = { model: 'tiny-chat', origin: server.baseURL.replace(/\/v1$/, '/') };
    const [one, several] = [await answerOnCores(1, asked), await answerOnCores(6, asked)];
    expect([one.threads, several.threads]).toEqual([1, 3]);
    expect(several.text).toBe(one.text);
    expect(several.text).toContain('Paris');
    // They end with the thread that has started them.
    await expect.poll(() => threads.filter(({ threadId }) => threadId > 0).length).toBeLessThanOrEqual(1);
  });

  it('loads the model again after it was unloaded', async () => {
    const origin = server.baseURL.replace(/\/v1$/, '');
    const init = { method: 'POST', body: JSON.stringify({ model: 'tiny-chat', keep_alive: 0 }) };
    expect((await fetch(`${origin}/api/generate`, init)).status).toBe(200);
    expect(await answerTo(QUESTIONS[0]!)).toContain('Paris');
  });

  it('leaves no thread when it is closed', async () => {
    const own = await serveInference({ models: MODELS });
    const before = threads.length;
    const init = { method: 'POST', body: JSON.stringify({ ...GREEDY, messages: asking('Hi') }) };
    expect((await fetch(`${own.baseURL}/chat/completions`, init)).status).toBe(200);
    const started = threads.slice(before);
    expect(started.map(({ threadId }) => threadId > 0)).toEqual([true]);
    await own.close();
    expect(started.map(({ threadId }) => threadId)).toEqual([-1]);
  });

  it('says what is wrong with a file that is not there', async () => {
    const models: ModelEntry[] = [{ id: 'gone', task: 'chat', backend: 'gguf', source: '/models/gone.gguf' }];
    const own = await serveInference({ models, compatibility: 'hosted' });
    const init = { method: 'POST', body: JSON.stringify({ model: 'gone', messages: asking('Hi') }) };
    const answer = await fetch(`${own.baseURL}/chat/completions`, init);
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('gone.gguf')]);
    await own.close();
  });
});

describe('inpage serve', () => {
  const folder = mkdtempSync(join(tmpdir(), 'inpage-gguf-in-node-'));
  let child: ChildProcess | undefined;
  afterAll(() => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  it('runs a GGUF model where there is no browser, and ends with all its threads', async () => {
    const config = join(folder, 'options.json');
    writeFileSync(config, JSON.stringify({ models: MODELS, port: 0 }));
    const args = [join(root, 'dist/cli.js'), 'serve', '--config', config];
    child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: '' } });
    let [printed, warned] = ['', ''];
    child.stdout!.on('data', (bytes: Buffer) => (printed += bytes.toString()));
    child.stderr!.on('data', (bytes: Buffer) => (warned += bytes.toString()));
    await expect.poll(() => printed, { timeout: 60_000 }).toMatch(/^inpage: serving http:\S+ with tiny-chat\n/);
    const openai = new OpenAI({ baseURL: /http:\S+/.exec(printed)![0], apiKey: 'none', maxRetries: 0 });
    const { choices } = await openai.chat.completions.create({ ...GREEDY, messages: asking(QUESTIONS[0]!) });
    expect(choices[0]!.message.content).toContain('Paris');
    // While a model is loaded, whose threads would keep a process alive.
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    // The engine has chosen the kernels that this version of Node can run.
    expect(/relaxed SIMD .* twice as long/.test(warned)).toBe(!hasRelaxedSimd());
  });
});
