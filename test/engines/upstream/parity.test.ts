/** The same question to a model and to an upstream model in front of it: the same answer. */
import { describe, expect, it } from 'vitest';
import type { CollectedGeneration } from '../../../src/service/answer/collect-generation.js';
import type { GenerationEvent } from '../../../src/service/answer/generation-event.js';
import { toInferenceError } from '../../../src/core/errors/inference-error.js';
import { outputFailureError } from '../../../src/service/http/generation/generate.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import type { Script } from '../../../src/core/models/script.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import type { Message } from '../../../src/core/request/message.js';
import { buildApp } from '../../support/build-app.js';
import { collectAnswer, oneByOne } from '../../support/token-events.js';
import { upstreamBackend } from '../../../src/engines/upstream/upstream-backend.js';
import { scriptedBackend } from '../../../src/engines/scripted/scripted-backend.js';
import { REMOTE, serveRemotely } from './through-app.js';

const script: Script = {
  replies: [
    { match: 'weather', toolCalls: [{ name: 'get_weather', arguments: { city: 'Zürich "ZH"' } }] },
    {
      match: 'both',
      text: 'Let me look.',
      toolCalls: [
        { name: 'get_weather', arguments: { city: 'Ulm' } },
        { name: 'get_weather', arguments: {} },
      ],
    },
    { match: 'person', text: '{"name":"Ada","age":36}' },
    { match: 'think', reasoning: 'Two and two make four.', text: 'Four 🙂.' },
    { text: 'Hello there, my friend. How are you today?' },
  ],
};
const NEAR: ModelEntry = { id: 'near', task: 'chat', backend: 'scripted', script };
const FAR: ModelEntry = { id: 'far', task: 'chat', backend: 'upstream', source: REMOTE, upstreamModel: 'near' };

const weather = {
  name: 'get_weather',
  description: 'The weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};
const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
};

function say(text: string, overrides: Partial<GenerationRequest> = {}): GenerationRequest {
  const messages: Message[] = [
    { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] },
    { role: 'user', content: [{ type: 'text', text }] },
  ];
  return { ...plainGenerationRequest('', { type: 'chat', messages }), ...overrides };
}

const afterTools: Message[] = [
  { role: 'user', content: [{ type: 'text', text: 'weather?' }] },
  {
    role: 'assistant',
    content: [],
    reasoning: 'I need a tool.',
    toolCalls: [{ id: 'call_1', name: 'get_weather', arguments: '{"city":"Ulm"}' }],
  },
  { role: 'tool', toolCallId: 'call_1', content: [{ type: 'text', text: 'Sunny.' }] },
  { role: 'assistant', content: [{ type: 'text', text: 'Sunny in Ulm.' }], toolCalls: [] },
  { role: 'user', content: [{ type: 'text', text: 'Thanks!' }] },
];

const REQUESTS: Record<string, GenerationRequest> = {
  'a greeting': say('Hi'),
  'three choices at a temperature, with a seed': say('Hi', { n: 3, sampling: { temperature: 1, seed: 4 } }),
  'log-probabilities': say('Hi', { topLogprobs: 2 }),
  'the cap': say('Hi', { maxTokens: 3 }),
  'a stop sequence': say('Hi', { stop: ['friend'] }),
  'a biased, unlikely sampling': say('Hi', { sampling: { temperature: 0.5, topK: 3, topP: 0.5, seed: 1 } }),
  thinking: say('think', { reasoning: { enabled: true } }),
  'no thinking': say('think', { reasoning: { enabled: false } }),
  'a tool call': say('weather', { tools: [weather] }),
  'two tool calls after text': say('both', { tools: [weather] }),
  'only one of two tool calls': say('both', { tools: [weather], parallelToolCalls: false }),
  'a forced tool call': say('weather', { tools: [weather], toolChoice: { name: 'get_weather' } }),
  'a required tool call that does not come': say('Hi', { tools: [weather], toolChoice: 'required' }),
  'tools that must not be called': say('weather', { tools: [weather], toolChoice: 'none' }),
  'a tool call that is cut': say('weather', { tools: [weather], maxTokens: 4 }),
  'a schema': say('person', { output: { type: 'json-schema', name: 'person', schema, strict: true } }),
  'a JSON object that is cut': say('person', { output: { type: 'json-object' }, maxTokens: 2 }),
  'a conversation with tool results': { ...say(''), prompt: { type: 'chat', messages: afterTools }, tools: [weather] },
  'a raw prompt': { ...say(''), prompt: { type: 'raw', text: 'Once upon a time' } },
};

/** What came of a generation. */
async function outcome(events: AsyncIterable<GenerationEvent>): Promise<object> {
  try {
    const collected = await collectAnswer(events);
    const failure = collected.choices.find((choice) => choice.failure)?.failure;
    if (failure) throw outputFailureError(failure);
    return facts(collected);
  } catch (thrown) {
    const { code, details, message } = toInferenceError(thrown);
    return { code, details, message };
  }
}

/** What does not depend on the clock or on chance. */
function facts({ choices, usage }: CollectedGeneration): object {
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = usage;
  return {
    usage: { promptTokens, cachedTokens, completionTokens, reasoningTokens },
    choices: choices.map(({ text, reasoning, toolCalls, reason, logprobs }) => ({
      text,
      reasoning,
      toolCalls: toolCalls.map(({ name, arguments: json }) => ({ name, arguments: json })),
      reason,
      logprobs,
    })),
  };
}

describe('an upstream model answers like the model behind it:', () => {
  it.each(Object.entries(REQUESTS))('%s', async (_, request) => {
    const { app: remote, inference: near } = await buildApp({ models: [NEAR] });
    serveRemotely(remote);
    const backends = { scripted: scriptedBackend, upstream: upstreamBackend };
    const { inference: far } = await buildApp({ models: [FAR], backends });
    const options = { signal: new AbortController().signal, deadline: 'result' } as const;
    const direct = await outcome(oneByOne(near.generate({ ...request, model: 'near' }, options)));
    expect(await outcome(oneByOne(far.generate({ ...request, model: 'far' }, options)))).toEqual(direct);
  });
});

const USUAL = { 'content-type': 'application/json' };

describe('through the dialects, an upstream model', () => {
  const start = async () => {
    const { app: remote } = await buildApp({ models: [NEAR] });
    const requests = serveRemotely(remote);
    const { app } = await buildApp({ models: [FAR], backends: { upstream: upstreamBackend } });
    const post = (path: string, body: object) =>
      app.request(`/v1${path}`, {
        method: 'POST',
        headers: USUAL,
        body: JSON.stringify({ model: 'far', max_tokens: 20, ...body }),
      });
    return { post, requests };
  };
  const messages = [{ role: 'user', content: 'Hi' }];

  const base64 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const url = `data:image/png;base64,${base64}`;
  const source = { type: 'base64', media_type: 'image/png', data: base64 };
  const words = { type: 'text', text: 'Well?' };
  it.each<[string, object]>([
    [
      '/chat/completions',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url, detail: 'low' } }, words] }] },
    ],
    ['/messages', { messages: [{ role: 'user', content: [{ type: 'image', source }, words] }] }],
    [
      '/responses',
      {
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_image', image_url: url, detail: 'low' },
              { type: 'input_text', text: 'Well?' },
            ],
          },
        ],
      },
    ],
  ])('sees the image of %s as it came', async (path, body) => {
    const { post, requests } = await start();
    const response = await post(path, body);
    const detail = path === '/messages' ? {} : { detail: 'low' };
    const image = { type: 'image_url', image_url: { url, ...detail } };
    expect((await requests[0]!.json()).messages).toEqual([{ role: 'user', content: [image, words] }]);
    // The service behind it has no eyes, and says so.
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('images');
  });

  it('sees the image of a tool’s result', async () => {
    const { post, requests } = await start();
    const content = [{ type: 'image', source }];
    await post('/messages', {
      messages: [
        { role: 'user', content: 'Look.' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }] },
      ],
    });
    const { messages: sent } = (await requests[0]!.json()) as { messages: { role: string; content: unknown }[] };
    expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(sent[3]!.content).toEqual([{ type: 'image_url', image_url: { url } }]);
  });

  it('answers where its service does not speak the dialect', async () => {
    const { post, requests } = await start();
    const paths = () => requests.map(({ url }) => new URL(url).pathname);
    const message = await (await post('/messages', { messages })).json();
    expect(message).toMatchObject({ content: [{ text: 'Hello there, my friend. How are you today?' }] });
    const response = await (await post('/responses', { input: 'Hi' })).json();
    expect(response).toMatchObject({ status: 'completed', output: [{ type: 'message' }] });
    expect(paths()).toEqual(['/v1/chat/completions', '/v1/chat/completions']);
  });

  it('does not count tokens', async () => {
    const { post } = await start();
    const response = await post('/messages/count_tokens', { messages });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'model_not_supported' } });
  });
});
