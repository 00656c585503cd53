import Anthropic from '@anthropic-ai/sdk';
import {
  ANSWER,
  CHAT,
  type Connection,
  failureOf,
  OBJECT,
  REASONING,
  type Scenario,
  TEXT,
  WEATHER_SCHEMA,
} from './scenario.js';

function anthropic({ fetch, baseURL }: Connection): Anthropic {
  // This client adds `/v1` itself.
  const origin = baseURL.replace(/\/v1$/, '');
  return new Anthropic({ fetch, baseURL: origin, apiKey: 'any', maxRetries: 0, dangerouslyAllowBrowser: true });
}

const hello = { model: CHAT, max_tokens: 200, messages: [{ role: 'user' as const, content: 'Hello' }] };

const tools: Anthropic.Tool[] = [{ name: 'get_weather', description: 'The weather.', input_schema: WEATHER_SCHEMA }];
const weather = { ...hello, tools, messages: [{ role: 'user' as const, content: 'How is the weather?' }] };

/** Messages through `@anthropic-ai/sdk`. */
export const anthropicScenarios: Scenario[] = [
  {
    name: 'anthropic messages.create',
    run: async (connection) => {
      const message = await anthropic(connection).messages.create({ ...hello, system: 'Be kind.' });
      const [block] = message.content;
      return { text: block?.type === 'text' && block.text, reason: message.stop_reason };
    },
    expected: { text: TEXT, reason: 'end_turn' },
  },
  {
    name: 'anthropic messages.stream with text',
    run: async (connection) => {
      const stream = anthropic(connection).messages.stream(hello);
      let text = '';
      stream.on('text', (piece) => (text += piece));
      const message = await stream.finalMessage();
      return { text, whole: await stream.finalText(), isUsed: message.usage.output_tokens > 0 };
    },
    expected: { text: TEXT, whole: TEXT, isUsed: true },
  },
  {
    name: 'anthropic messages.stream with thinking',
    run: async (connection) => {
      const stream = anthropic(connection).messages.stream({
        ...hello,
        max_tokens: 2000,
        thinking: { type: 'enabled', budget_tokens: 1024 },
      });
      let thinking = '';
      stream.on('thinking', (piece) => (thinking += piece));
      const { content } = await stream.finalMessage();
      return { thinking, kinds: content.map(({ type }) => type) };
    },
    expected: { thinking: REASONING, kinds: ['thinking', 'text'] },
  },
  {
    name: 'anthropic messages.stream tool loop',
    run: async (connection) => {
      const client = anthropic(connection);
      const stream = client.messages.stream(weather);
      const inputs: unknown[] = [];
      stream.on('inputJson', (_piece, snapshot) => inputs.push(snapshot));
      const first = await stream.finalMessage();
      const use = first.content.find((block) => block.type === 'tool_use')!;
      const second = await client.messages
        .stream({
          ...weather,
          messages: [
            ...weather.messages,
            { role: 'assistant', content: first.content },
            {
              role: 'user',
              content: [{ type: 'tool_result', tool_use_id: use.id, content: [{ type: 'text', text: 'sunny' }] }],
            },
          ],
        })
        .finalText();
      return { reason: first.stop_reason, input: use.input, lastInput: inputs.at(-1), answer: second };
    },
    expected: { reason: 'tool_use', input: { city: 'Paris' }, lastInput: { city: 'Paris' }, answer: ANSWER },
  },
  {
    name: 'anthropic messages.stream cut by the limit and by a stop sequence',
    run: async (connection) => {
      const { messages } = anthropic(connection);
      const cut = await messages.stream({ ...hello, max_tokens: 3 }).finalMessage();
      const stopped = await messages.stream({ ...hello, stop_sequences: ['fox'] }).finalMessage();
      return { cut: cut.stop_reason, stopped: [stopped.stop_reason, stopped.stop_sequence] };
    },
    expected: { cut: 'max_tokens', stopped: ['stop_sequence', 'fox'] },
  },
  {
    name: 'anthropic structured output',
    run: async (connection) => {
      const schema = { type: 'object', properties: { city: { type: 'string' }, days: { type: 'number' } } };
      const message = await anthropic(connection).messages.create({
        ...hello,
        messages: [{ role: 'user', content: 'An object, please.' }],
        output_config: { format: { type: 'json_schema', schema } },
      });
      const [block] = message.content;
      return block?.type === 'text' && JSON.parse(block.text);
    },
    expected: OBJECT,
  },
  {
    name: 'anthropic messages.countTokens',
    run: async (connection) => {
      const { messages } = anthropic(connection);
      const { input_tokens: counted } = await messages.countTokens({ model: CHAT, messages: hello.messages });
      return { isSame: counted === (await messages.create(hello)).usage.input_tokens };
    },
    expected: { isSame: true },
  },
  {
    name: 'anthropic error classes',
    run: async (connection) => {
      const { messages } = anthropic(connection);
      return {
        unknown: await failureOf(messages.create({ ...hello, model: 'nobody' })),
        gone: await failureOf(messages.create({ ...hello, model: 'gone' })),
        broken: await failureOf(messages.create({ ...hello, model: 'broken' })),
        wrong: await failureOf(messages.create({ ...hello, max_tokens: 0 })),
        streamed: await failureOf(messages.stream({ ...hello, model: 'nobody' }).finalMessage()),
      };
    },
    expected: {
      unknown: { name: 'NotFoundError', status: 404, type: 'not_found_error' },
      gone: { name: 'APIError', status: 410, type: 'not_found_error' },
      broken: { name: 'InternalServerError', status: 500, type: 'api_error' },
      wrong: { name: 'BadRequestError', status: 400, type: 'invalid_request_error' },
      streamed: { name: 'NotFoundError', status: 404 },
    },
  },
];
