import type OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import * as z from 'zod';
import { openai } from './openai-chat.js';
import { ANSWER, CHAT, failureOf, OBJECT, REASONING, type Scenario, TEXT, WEATHER_SCHEMA } from './scenario.js';

const tools: OpenAI.Responses.FunctionTool[] = [
  { type: 'function', name: 'get_weather', description: 'The weather.', parameters: WEATHER_SCHEMA, strict: true },
];

const kindsOf = (response: { output: { type: string }[] }): string[] => response.output.map(({ type }) => type);

/** Responses through `openai`, whose stream helper is the strictest reader there is. */
export const openaiResponsesScenarios: Scenario[] = [
  {
    name: 'openai responses.create',
    run: async (connection) => {
      const response = await openai(connection).responses.create({
        model: CHAT,
        input: 'Hello',
        instructions: 'Be kind.',
      });
      return { text: response.output_text, status: response.status, instructions: response.instructions };
    },
    expected: { text: TEXT, status: 'completed', instructions: 'Be kind.' },
  },
  {
    name: 'openai responses.stream with reasoning',
    run: async (connection) => {
      const stream = openai(connection).responses.stream({ model: CHAT, input: 'Hello', reasoning: { effort: 'low' } });
      let text = '';
      let reasoning = '';
      for await (const event of stream) {
        if (event.type === 'response.output_text.delta') text += event.delta;
        if (event.type === 'response.reasoning_text.delta') reasoning += event.delta;
      }
      const response = await stream.finalResponse();
      return { text, reasoning, whole: response.output_text, kinds: kindsOf(response) };
    },
    expected: { text: TEXT, reasoning: REASONING, whole: TEXT, kinds: ['reasoning', 'message'] },
  },
  {
    name: 'openai responses.stream cut by the limit',
    run: async (connection) => {
      const stream = openai(connection).responses.stream({ model: CHAT, input: 'Hello', max_output_tokens: 3 });
      const response = await stream.finalResponse();
      return { status: response.status, reason: response.incomplete_details?.reason };
    },
    expected: { status: 'incomplete', reason: 'max_output_tokens' },
  },
  {
    name: 'openai responses.parse with zod',
    run: async (connection) => {
      const format = zodTextFormat(z.object({ city: z.string(), days: z.number() }), 'trip');
      const response = await openai(connection).responses.parse({
        model: CHAT,
        input: 'An object, please.',
        text: { format },
      });
      return response.output_parsed;
    },
    expected: OBJECT,
  },
  {
    name: 'openai responses tool loop, streamed',
    run: async (connection) => {
      const client = openai(connection);
      const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'How is the weather?' }];
      const first = await client.responses.stream({ model: CHAT, input, tools }).finalResponse();
      const call = first.output.find((item) => item.type === 'function_call')!;
      input.push(...(first.output as OpenAI.Responses.ResponseInput), {
        type: 'function_call_output',
        call_id: call.call_id,
        output: 'sunny',
      });
      const second = await client.responses.stream({ model: CHAT, input, tools }).finalResponse();
      return { name: call.name, arguments: call.arguments, answer: second.output_text };
    },
    expected: { name: 'get_weather', arguments: '{"city":"Paris"}', answer: ANSWER },
  },
  {
    name: 'openai responses errors',
    run: async (connection) => {
      const { responses } = openai(connection);
      return {
        unknown: await failureOf(responses.create({ model: 'nobody', input: 'Hello' })),
        stateful: await failureOf(responses.create({ model: CHAT, input: 'Hello', store: true })),
        streamed: await failureOf(responses.stream({ model: 'broken', input: 'Hello' }).finalResponse()),
      };
    },
    expected: {
      unknown: { name: 'NotFoundError', status: 404 },
      stateful: { name: 'BadRequestError', status: 400 },
      streamed: { name: 'InternalServerError', status: 500 },
    },
  },
];
