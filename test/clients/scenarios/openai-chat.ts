import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import * as z from 'zod';
import {
  ANSWER,
  CHAT,
  type Connection,
  EMBEDDER,
  failureOf,
  OBJECT,
  REASONING,
  type Scenario,
  SPEAKER,
  TEXT,
  WEATHER_SCHEMA,
} from './scenario.js';

export function openai({ fetch, baseURL }: Connection): OpenAI {
  return new OpenAI({ fetch, baseURL, apiKey: 'any', maxRetries: 0, dangerouslyAllowBrowser: true });
}

const hello = { model: CHAT, messages: [{ role: 'user' as const, content: 'Hello' }] };

const weatherTool = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: WEATHER_SCHEMA,
    parse: JSON.parse,
    function: ({ city }: { city: string }) => `It is sunny in ${city}.`,
  },
};

/** Chat completions, text completions and embeddings through `openai`. */
export const openaiChatScenarios: Scenario[] = [
  {
    name: 'openai chat.completions.create',
    run: async (connection) => {
      const { choices, usage } = await openai(connection).chat.completions.create(hello);
      return { text: choices[0]?.message.content, reason: choices[0]?.finish_reason, isUsed: usage!.total_tokens > 0 };
    },
    expected: { text: TEXT, reason: 'stop', isUsed: true },
  },
  {
    name: 'openai chat.completions.stream with reasoning',
    run: async (connection) => {
      let reasoning = '';
      const extra = { chat_template_kwargs: { enable_thinking: true } };
      const stream = openai(connection).chat.completions.stream({ ...hello, ...extra } as never);
      for await (const chunk of stream as AsyncIterable<any>) reasoning += chunk.choices[0]?.delta.reasoning ?? '';
      const message = (await stream.finalMessage()) as { content: string | null };
      return { text: message.content, reasoning };
    },
    expected: { text: TEXT, reasoning: REASONING },
  },
  {
    name: 'openai chat.completions.stream with usage',
    run: async (connection) => {
      const stream = openai(connection).chat.completions.stream({ ...hello, stream_options: { include_usage: true } });
      const { usage, choices } = await stream.finalChatCompletion();
      return { isUsed: usage!.completion_tokens > 0, reason: choices[0]?.finish_reason };
    },
    expected: { isUsed: true, reason: 'stop' },
  },
  {
    name: 'openai chat.completions.stream with a tool call',
    run: async (connection) => {
      const { type, function: tool } = weatherTool;
      const { name, description, parameters } = tool;
      const stream = openai(connection).chat.completions.stream({
        model: CHAT,
        messages: [{ role: 'user', content: 'How is the weather?' }],
        tools: [{ type, function: { name, description, parameters } }],
      });
      const [call] = (await stream.finalMessage()).tool_calls ?? [];
      return call?.type === 'function' && { name: call.function.name, arguments: call.function.arguments };
    },
    expected: { name: 'get_weather', arguments: '{"city":"Paris"}' },
  },
  ...[false, true].map((stream): Scenario => ({
    name: `openai chat.completions.runTools${stream ? ' streamed' : ''}`,
    run: (connection) => {
      const messages = [{ role: 'user' as const, content: 'How is the weather?' }];
      const { completions } = openai(connection).chat;
      const body = { model: CHAT, messages, tools: [weatherTool] };
      return stream
        ? completions.runTools({ ...body, stream: true }).finalContent()
        : completions.runTools(body).finalContent();
    },
    expected: ANSWER,
  })),
  {
    name: 'openai chat.completions.parse with zod',
    run: async (connection) => {
      const completion = await openai(connection).chat.completions.parse({
        model: CHAT,
        messages: [{ role: 'user', content: 'An object, please.' }],
        response_format: zodResponseFormat(z.object({ city: z.string(), days: z.number() }), 'trip'),
      });
      return completion.choices[0]?.message.parsed;
    },
    expected: OBJECT,
  },
  {
    name: 'openai completions.create, whole and streamed',
    run: async (connection) => {
      const client = openai(connection);
      const body = { model: CHAT, prompt: 'Hello', temperature: 0 };
      const whole = (await client.completions.create(body)).choices[0]?.text;
      let streamed = '';
      for await (const { choices } of await client.completions.create({ ...body, stream: true })) {
        streamed += choices[0]?.text ?? '';
      }
      return { whole, streamed };
    },
    expected: { whole: TEXT, streamed: TEXT },
  },
  {
    name: 'openai embeddings.create',
    run: async (connection) => {
      const client = openai(connection);
      const body = { model: EMBEDDER, input: ['one', 'two'] };
      // Without a format the client asks for base64 and decodes it itself.
      const { data } = await client.embeddings.create(body);
      const floats = (await client.embeddings.create({ ...body, encoding_format: 'float' })).data;
      return {
        indices: data.map(({ index }) => index),
        isSame: data.every(({ embedding }, row) =>
          embedding.every((value, column) => Math.abs(value - floats[row]!.embedding[column]!) < 1e-6),
        ),
        isLong: data.every(({ embedding }) => embedding.length > 1),
      };
    },
    expected: { indices: [0, 1], isSame: true, isLong: true },
  },
  {
    name: '[V03] [V07] openai audio.speech.create, as a file and as events',
    run: async (connection) => {
      const { speech } = openai(connection).audio;
      const body = { model: SPEAKER, input: 'Hello there.', voice: 'alloy', response_format: 'wav' } as const;
      const file = await (await speech.create(body)).arrayBuffer();
      const events = await (await speech.create({ ...body, stream_format: 'sse' })).text();
      const mp3 = await speech.create({ model: SPEAKER, input: 'Hello there.', voice: 'alloy' });
      return {
        bytes: file.byteLength,
        types: [...events.matchAll(/"type":"(speech[a-z.]*)"/g)].map(([, type]) => type),
        mp3: mp3.headers.get('content-type'),
        isLong: (await mp3.arrayBuffer()).byteLength > 1000,
      };
    },
    // 12 letters of 60 ms, 24,000 samples a second, two bytes each, and a header.
    expected: {
      bytes: 44 + 12 * 1440 * 2,
      types: ['speech.audio.delta', 'speech.audio.done'],
      mp3: 'audio/mpeg',
      isLong: true,
    },
  },
  {
    name: 'openai error classes',
    run: async (connection) => {
      const { completions } = openai(connection).chat;
      return {
        unknown: await failureOf(completions.create({ ...hello, model: 'nobody' })),
        gone: await failureOf(completions.create({ ...hello, model: 'gone' })),
        broken: await failureOf(completions.create({ ...hello, model: 'broken' })),
        wrong: await failureOf(completions.create({ ...hello, temperature: 7 })),
      };
    },
    expected: {
      unknown: { name: 'NotFoundError', status: 404, type: 'not_found_error' },
      gone: { name: 'APIError', status: 410 },
      broken: { name: 'InternalServerError', status: 500 },
      wrong: { name: 'BadRequestError', status: 400, type: 'invalid_request_error' },
    },
  },
];
