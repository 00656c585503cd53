import { describe, expect, it } from 'vitest';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import type { Script } from '../../../src/core/models/script.js';
import { buildApp, scriptedChat } from '../../support/build-app.js';
import { INFERENCE_OPTIONS } from '../../../src/core/models/inference-options.js';
import { parseOptions } from '../../../src/core/models/option-schema.js';
import { PNG } from './messages/support.js';
import { post } from './support/call.js';

const model = (script: Script): ModelEntry => ({ id: 'm', task: 'chat', backend: 'scripted', script });

const NAME = 'look_up';
const parameters = { type: 'object', properties: {} };

/** The same conversation in each dialect: a question, a call, its result, and an image where `seen` is one. */
const DIALECTS = [
  [
    '/v1/chat/completions',
    (seen?: string) => ({
      messages: [
        { role: 'system', content: 'Be kind.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is new?' },
            ...(seen === undefined ? [] : [{ type: 'image_url', image_url: { url: `data:image/png;base64,${seen}` } }]),
          ],
        },
        { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: NAME, arguments: '{}' } }] },
        { role: 'tool', tool_call_id: 'c', content: '42 degrees' },
      ],
      tools: [{ type: 'function', function: { name: NAME, parameters } }],
    }),
  ],
  [
    '/v1/messages',
    (seen?: string) => ({
      max_tokens: 100,
      system: 'Be kind.',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is new?' },
            ...(seen === undefined
              ? []
              : [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: seen } }]),
          ],
        },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: NAME, input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: '42 degrees' }] },
      ],
      tools: [{ name: NAME, input_schema: parameters }],
    }),
  ],
  [
    '/v1/responses',
    (seen?: string) => ({
      instructions: 'Be kind.',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is new?' },
            ...(seen === undefined ? [] : [{ type: 'input_image', image_url: `data:image/png;base64,${seen}` }]),
          ],
        },
        { type: 'function_call', call_id: 'c', name: NAME, arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: '42 degrees' },
      ],
      tools: [{ type: 'function', name: NAME, parameters }],
    }),
  ],
] as const;

const PROMPT = ['/v1/completions', { prompt: 'busy' }] as const;
const BUSY = [
  ['/v1/chat/completions', { messages: [{ role: 'user', content: 'busy' }] }],
  ['/v1/messages', { max_tokens: 9, messages: [{ role: 'user', content: 'busy' }] }],
  ['/v1/responses', { input: 'busy' }],
  PROMPT,
] as const;

describe('scripted replies', () => {
  it.each(DIALECTS)('[Y12] are matched alike at %s', async (path, body) => {
    const match = {
      last: '42',
      any: ['new', 'kind'],
      system: 'kind',
      user: 'new',
      toolResult: 'degrees',
      turn: 1,
      hasToolResult: true,
      tool: NAME,
      images: 0,
    };
    const { app } = await buildApp({ models: [model({ replies: [{ match, text: 'Found.' }] })] });
    const answer = await post(app, path, { model: 'm', ...body() });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('Found.');
  });

  it.each(DIALECTS)('[Y12] [Y17] count the images of the last message of the user at %s', async (path, body) => {
    const { app } = await buildApp({
      models: [model({ images: true, replies: [{ match: { images: 1 }, text: 'Seen.' }, { text: 'Nothing.' }] })],
    });
    expect((await post(app, path, { model: 'm', ...body(PNG) })).text).toContain('Seen.');
    expect((await post(app, path, { model: 'm', ...body() })).text).toContain('Nothing.');
  });

  it('[Y12] refuse an unknown condition by name', () => {
    expect(() => parseModels({ replies: [{ match: { las: 'x' } as never }] })).toThrow(
      /`models\.0\.script\.replies\.0\.match\.las`/,
    );
    expect(() => parseModels({ replies: [{ match: 3 as never }] })).toThrow(/match` must be a string, or an object/);
  });

  it('[Y12] with conditions do not fit documents', async () => {
    const script: Script = {
      replies: [
        { match: { last: 'cat' }, score: 1 },
        { match: 'dog', score: 0.5 },
      ],
    };
    const ranker: ModelEntry = { id: 'r', task: 'rerank', backend: 'scripted', script };
    const { app } = await buildApp({ models: [ranker] });
    const { json } = await post(app, '/v1/rerank', { model: 'r', query: 'Who?', documents: ['a cat', 'a dog'] });
    expect(json.results.map((each: { relevance_score: number }) => each.relevance_score)).toEqual([0.5, 0]);
  });

  it.each(BUSY)('[Y15] fail in the shape of %s', async (path, body) => {
    const { app } = await buildApp({ models: [model({ replies: [{ error: { status: 529, retryAfter: 3 } }] })] });
    const answer = await post(app, path, { model: 'm', ...body });
    expect(answer.status).toBe(529);
    expect(answer.headers.get('retry-after')).toBe('3');
  });

  it.each(BUSY)('[Y15] fail after some tokens at %s', async (path, body) => {
    const script: Script = { replies: [{ text: 'one two three', error: { status: 500, afterTokens: 2 } }] };
    const { app } = await buildApp({ models: [model(script)] });
    const streamed = await post(app, path, { model: 'm', stream: true, ...body });
    expect(streamed.status).toBe(200);
    expect(streamed.text).toContain('two');
    expect(streamed.text).not.toContain('three');
    expect(streamed.text).toMatch(/error/);
    expect((await post(app, path, { model: 'm', ...body })).status).toBe(500);
  });
});

function parseModels(script: Script): unknown {
  return parseOptions(INFERENCE_OPTIONS, { models: [model(script)] });
}

it('[Y12] a late text of the system does not hide the turn of the user', async () => {
  const replies = [{ match: 'weather', text: 'Sunny.' }, { text: 'Hello.' }];
  const { app } = await buildApp({ models: [scriptedChat({ script: { replies } })], compatibility: 'hosted' });
  const messages = [
    { role: 'user', content: 'What is the weather?' },
    { role: 'system', content: 'Answer in one word.' },
  ];
  const { json } = await post(app, '/v1/messages', { model: 'scripted-chat', max_tokens: 20, messages });
  expect(json.content[0].text).toBe('Sunny.');
  const chat = await post(app, '/v1/chat/completions', { model: 'scripted-chat', messages });
  expect(chat.json.choices[0].message.content).toBe('Sunny.');
});
