/** Official clients where the service answers as OpenAI's own does. */
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, tool } from 'ai';
import OpenAI, { toFile } from 'openai';
import { expect, it } from 'vitest';
import type { ModelEntry } from '../../src/core/models/model-entry.js';
import { listener, wavFile } from '../service/http/support/models.js';
import { buildApp, scriptedChat } from '../support/build-app.js';

const LONG = 'far '.repeat(60);
const SCHEMA = { type: 'object', properties: { way: { type: 'string' } }, required: ['way'] };
const MODELS: ModelEntry[] = [
  scriptedChat({
    script: {
      replies: [
        { match: 'call', toolCalls: [{ name: 'go', arguments: { way: LONG } }] },
        { text: JSON.stringify({ way: LONG }) },
      ],
    },
  }),
  listener,
];

async function connect(): Promise<{ baseURL: string; apiKey: string; fetch: typeof fetch }> {
  const { app } = await buildApp({ models: MODELS, compatibility: 'hosted' });
  const send: typeof fetch = async (input, init) => app.request(input instanceof URL ? input.href : input, init);
  return { baseURL: 'http://localhost/v1', apiKey: 'any', fetch: send };
}

const ask = (content: string) => ({
  model: 'scripted-chat',
  messages: [{ role: 'user' as const, content }],
  max_tokens: 30,
});

it('[G01] openai reads answers that the limit cut, streamed or not', async () => {
  const client = new OpenAI({ ...(await connect()), maxRetries: 0 });
  const response_format = { type: 'json_schema' as const, json_schema: { name: 'way', schema: SCHEMA } };
  const json = await client.chat.completions.create({ ...ask('JSON'), response_format });
  expect(json.choices[0]).toMatchObject({
    finish_reason: 'length',
    message: { content: expect.stringMatching(/^\{"way/) },
  });
  const tools = [{ type: 'function' as const, function: { name: 'go', parameters: SCHEMA } }];
  const call = await client.chat.completions.create({ ...ask('call'), tools });
  expect(call.choices[0]).toMatchObject({
    finish_reason: 'length',
    message: { tool_calls: [{ function: { name: 'go' } }] },
  });
  const reasons: unknown[] = [];
  for await (const { choices } of await client.chat.completions.create({ ...ask('call'), tools, stream: true })) {
    if (choices[0]?.finish_reason) reasons.push(choices[0].finish_reason);
  }
  expect(reasons).toEqual(['length']);
});

it('[G01] so does the AI SDK', async () => {
  const model = createOpenAI(await connect()).chat('scripted-chat');
  const go = tool({
    description: 'Goes.',
    inputSchema: jsonSchema<{ way: string }>(SCHEMA as never),
    execute: async ({ way }) => way,
  });
  const { finishReason } = await generateText({
    model,
    prompt: 'call',
    tools: { go },
    maxOutputTokens: 30,
    maxRetries: 0,
  });
  expect(finishReason).toBe('length');
});

it('[G02] [G03] openai reads transcripts with times', async () => {
  const { audio } = new OpenAI({ ...(await connect()), maxRetries: 0 });
  const file = await toFile(wavFile(), 'sound.wav');
  const verbose = await audio.transcriptions.create({
    model: 'scripted-speech',
    file,
    response_format: 'verbose_json',
    timestamp_granularities: ['segment', 'word'],
  });
  expect(verbose.segments).toMatchObject([{ id: 0, start: 0, end: 1, text: 'Good morning to you.' }]);
  expect(verbose.words).toHaveLength(4);
  const srt = await audio.transcriptions.create({ model: 'scripted-speech', file, response_format: 'srt' });
  expect(srt).toContain('00:00:00,000 --> 00:00:01,000\nGood morning to you.');
});
