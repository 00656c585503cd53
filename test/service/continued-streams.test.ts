/** Streams whose host is closed in the middle: the next host goes on with them, and their readers cannot tell. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Catalog } from '../../src/core/models/catalog.js';
import { InferenceError } from '../../src/core/errors/inference-error.js';
import type { Backend, LoadedModel } from '../../src/core/models/backend.js';
import type { ModelEntry } from '../../src/core/models/model-entry.js';
import { createApp } from '../../src/service/http/app.js';
import { Scheduler } from '../../src/service/scheduler/scheduler.js';
import { serveCall } from '../../src/service/serve-call.js';
import { quantizeByRow } from '../../src/engines/transformers/onnx-file/quantize-by-row.js';
import type { OnnxSession } from '../../src/engines/transformers/ort/onnx-session.js';
import { scriptedBackend } from '../../src/engines/scripted/scripted-backend.js';
import { createInferenceFetch } from '../../src/page/inference-fetch.js';
import { type Connect, connectThrough } from '../../src/relay/handshake.js';
import { MAX_CHUNK_BYTES } from '../../src/relay/protocol.js';
import { smallModel, smallSession } from '../engines/transformers/support/small-q8.js';
import { inProcessHost } from '../support/in-process-host.js';

const SCRIPT = {
  tokenDelayMs: 2,
  replies: [
    {
      match: 'tool',
      text: 'Let me look that up for you, one moment please.',
      toolCalls: [
        { name: 'weather', arguments: { city: 'Paris, the one in France', unit: 'celsius' } },
        { name: 'weather', arguments: { city: 'London', unit: 'celsius' } },
      ],
    },
    { text: 'one two three four five six seven eight nine ten '.repeat(2), reasoning: 'I count slowly. '.repeat(4) },
  ],
};
const MODELS: ModelEntry[] = [
  { id: 'scripted', task: 'chat', backend: 'scripted', script: SCRIPT },
  { id: 'burst', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'word '.repeat(500) }] } },
  { id: 'small', task: 'chat', backend: 'transformers', source: '/m' },
];

let session: OnnxSession;
beforeAll(async () => {
  session = await smallSession([quantizeByRow]);
});

const hosts: Tab[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

/** A tab that hosts: gateway, scheduler, models. */
class Tab {
  readonly ports: MessagePort[] = [];
  /** The models that it loaded, each with the way to lose it. */
  readonly lose: (() => void)[] = [];
  readonly #inference: Scheduler;
  readonly #app: ReturnType<typeof createApp>;

  /** @param ids of all hosts that work on a stream */
  constructor(ids: { next: number }, models: readonly ModelEntry[] = MODELS) {
    const createId = (): string => `id-${ids.next++}`;
    const small: Backend = { load: async () => smallModel(session, true) };
    this.#inference = new Scheduler({
      catalog: new Catalog(models),
      host: this.#losable(inProcessHost({ scripted: scriptedBackend, transformers: small })),
      requestTimeout: 20,
      createId: () => `call_${createId()}`,
    });
    this.#app = createApp({ prefix: '/v1', createId, now: () => 1e12, inference: this.#inference });
    hosts.push(this);
  }

  serve(port: MessagePort): void {
    this.ports.push(port);
    void serveCall(port, {
      request: (request, onBegin, { resumeState }) => this.#app.fetch(request, { onBegin, resumeState }),
      control: () => {},
    });
  }

  async unload(model: string): Promise<void> {
    await this.#inference.unload(model);
  }

  async close(): Promise<void> {
    for (const port of this.ports.splice(0)) port.close();
    await this.#inference.stop();
  }

  #losable(host: ReturnType<typeof inProcessHost>): ReturnType<typeof inProcessHost> {
    return {
      start: async (entry, options) => {
        const model = await host.start(entry, options);
        let lose = (): void => {};
        const lost = new Promise<InferenceError>((resolve) => {
          lose = () => resolve(new InferenceError('unavailable', 'The GPU is gone.'));
        });
        this.lose.push(lose);
        const unload = (): Promise<void> => {
          lose();
          return model.unload();
        };
        return Object.create(model, { lost: { value: lost }, unload: { value: unload } }) as LoadedModel;
      },
    };
  }
}

/** What becomes of the host after the reader has so many chunks: each time of the next host. */
type Break = { after: number; how?: (tab: Tab) => unknown };

/** The body of a stream, how often it was broken, and its longest chunk. */
async function read(
  path: string,
  body: object,
  breaks: readonly Break[],
  next = MODELS,
): Promise<[text: string, broken: number, longest: number]> {
  const ids = { next: 1 };
  let tab = new Tab(ids);
  const connect: Connect = (signal) => connectThrough((port) => tab.serve(port), signal);
  const fetch = createInferenceFetch({ origin: 'http://page.test', prefix: '/v1', intercept: [] }, connect, () =>
    Promise.reject(new Error('No network.')),
  );
  const response = await fetch(`http://page.test/v1/${path}`, {
    method: 'POST',
    body: JSON.stringify({ stream: true, ...body }),
  });
  expect(response.status).toBe(200);
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let chunks = 0;
  let longest = 0;
  const left = [...breaks];
  let broken = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return [text, broken, longest];
    longest = Math.max(longest, value.length);
    text += decoder.decode(value, { stream: true });
    chunks += 1;
    if (left[0] === undefined || chunks < left[0].after) continue;
    const { how } = left.shift()!;
    chunks = 0;
    broken += 1;
    if (how) await how(tab);
    else {
      const gone = tab;
      tab = new Tab(ids, next);
      await gone.close();
    }
  }
}

const ask = (content: string) => [{ role: 'user', content }];
const tool = {
  name: 'weather',
  schema: { type: 'object', properties: { city: { type: 'string' }, unit: { type: 'string' } } },
};
const chatTools = [{ type: 'function', function: { name: tool.name, parameters: tool.schema } }];
const SMALL = { model: 'small', messages: ask('What is the capital of France?'), max_tokens: 40 };

/** Requests of which each choice of words is certain: greedy, by a seed, by a script. */
const STREAMS: [name: string, path: string, body: object][] = [
  ['chat completion', 'chat/completions', SMALL],
  ['chat completion with a seed', 'chat/completions', { ...SMALL, temperature: 1, seed: 5 }],
  ['chat completion with top_p and a seed', 'chat/completions', { ...SMALL, temperature: 1.2, top_p: 0.9, seed: 6 }],
  ['two choices', 'chat/completions', { ...SMALL, n: 2, temperature: 1, seed: 8 }],
  ['log-probabilities', 'chat/completions', { ...SMALL, max_tokens: 25, logprobs: true, top_logprobs: 0 }],
  ['text completion', 'completions', { model: 'small', prompt: 'Once upon', max_tokens: 40, temperature: 1, seed: 9 }],
  ['several prompts', 'completions', { model: 'scripted', prompt: ['one', 'two'], max_tokens: 30 }],
  ['message', 'messages', { ...SMALL, temperature: 0 }],
  [
    'message with calls',
    'messages',
    {
      model: 'scripted',
      messages: ask('tool'),
      max_tokens: 200,
      tools: [{ name: tool.name, input_schema: tool.schema }],
    },
  ],
  [
    'message that thinks',
    'messages',
    { model: 'scripted', messages: ask('x'), max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 1024 } },
  ],
  [
    'stop sequence',
    'messages',
    { model: 'scripted', messages: ask('x'), max_tokens: 200, stop_sequences: ['ten one two three'] },
  ],
  ['calls', 'chat/completions', { model: 'scripted', messages: ask('tool'), tools: chatTools }],
  ['response', 'responses', { model: 'small', input: 'What is the capital of France?', max_output_tokens: 40 }],
  [
    'response with calls',
    'responses',
    { model: 'scripted', input: 'tool', tools: [{ type: 'function', name: tool.name, parameters: tool.schema }] },
  ],
];

/** 15 streams, 45 hosts that are closed and 15 models that are lost. */
describe.each(STREAMS)('a stream that breaks: %s', (_, path, body) => {
  it.each<[string, Break[]]>([
    ['its host is closed', [{ after: 2 }]],
    ['two hosts are closed', [{ after: 1 }, { after: 1 }]],
    ['its model is lost', [{ after: 1, how: (tab) => tab.lose.at(-1)!() }]],
  ])('is whole and the same to the last byte: %s', async (__, breaks) => {
    const [whole] = await read(path, body, []);
    expect(whole.length).toBeGreaterThan(500);
    const [text, broken] = await read(path, body, breaks);
    expect(broken).toBe(breaks.length);
    expect(text).toBe(whole);
  });
});

it('what comes at once is several chunks, and goes on elsewhere between any two of them', async () => {
  const body = { model: 'burst', messages: ask('x'), logprobs: true, top_logprobs: 2 };
  const [whole, , longest] = await read('chat/completions', body, []);
  expect(whole.length).toBeGreaterThan(20 * MAX_CHUNK_BYTES);
  expect(longest).toBeLessThanOrEqual(MAX_CHUNK_BYTES);
  const [text, broken] = await read('chat/completions', body, [{ after: 2 }, { after: 3 }]);
  expect(broken).toBe(2);
  expect(text).toBe(whole);
});

it('without a seed it goes on too: one answer, and the end that others have', async () => {
  const body = { ...SMALL, temperature: 1 };
  const [text, broken] = await read('chat/completions', body, [{ after: 1 }]);
  expect(broken).toBe(1);
  expect(text.match(/"finish_reason":"/g)).toHaveLength(1);
  expect(text).toMatch(/\[DONE\]\n\n$/);
  expect(text).not.toContain('"error"');
});

const errorOf = (text: string): string | undefined => /"code":"(\w+)"/.exec(text)?.[1];

it('[S24] a stream that cannot go on ends with an error event: the next host has not the model', async () => {
  const [text] = await read('chat/completions', SMALL, [{ after: 1 }], [MODELS[0]!]);
  expect(errorOf(text)).toBe('unavailable');
  expect(text).not.toContain('[DONE]');
});

it('[S24] so does one whose model was told to end', async () => {
  const [text] = await read('chat/completions', { model: 'scripted', messages: ask('x') }, [
    { after: 1, how: (tab) => tab.unload('scripted') },
  ]);
  expect(errorOf(text)).toBe('unavailable');
});

it('[S24] and one whose hosts are closed again and again', async () => {
  const [text, broken] = await read(
    'chat/completions',
    { model: 'scripted', messages: ask('x') },
    Array.from({ length: 10 }, () => ({ after: 1 })),
  );
  expect(broken).toBeGreaterThan(3);
  expect(errorOf(text)).toBe('unavailable');
});
