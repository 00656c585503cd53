import { expect, it } from 'vitest';
import type { Message, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages/messages.js';
import type { MessageObject, MessageStreamEvent } from '../../../../src/service/http/messages/message-object.js';
import { postJson, postStream } from '../../../support/http-client.js';
import { build, create, REASONING, refuse, TEXT, TOOLS, user, valid } from './support.js';

const weather = { messages: [user('How is the weather?')], tools: TOOLS };
const uses = (message: any): any[] => message.content.filter(({ type }: any) => type === 'tool_use');

it('[M16] tool_choice is honoured', async () => {
  expect(uses(await create({ ...weather, tool_choice: { type: 'any' } }))).toHaveLength(1);
  expect(uses(await create({ ...weather, tool_choice: { type: 'tool', name: 'get_weather' } }))[0].name).toBe(
    'get_weather',
  );
  expect(uses(await create({ ...weather, tool_choice: { type: 'none' } }))).toEqual([]);
  const both = { messages: [user('both')], tools: TOOLS };
  expect(uses(await create(both))).toHaveLength(2);
  const one = { type: 'auto', disable_parallel_tool_use: true };
  expect(uses(await create({ ...both, tool_choice: one }))).toHaveLength(1);
});

it('[M16] a forced choice that the model does not satisfy is an error', async () => {
  expect((await refuse({ ...valid, tools: TOOLS, tool_choice: { type: 'any' } })).status).toBe(400);
  expect((await refuse({ ...valid, ...weather, tool_choice: { type: 'tool', name: 'get_time' } })).status).toBe(400);
});

it('[M17] a message has its fields', async () => {
  const message = await create();
  expect(message).toMatchObject({
    id: expect.stringMatching(/^msg_/),
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: TEXT }],
    model: 'scripted-chat',
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: {},
  });
  expect((await create()).id).not.toBe(message.id);
});

/** The type with every field that may be null left out at will. */
type WithoutNulls<T> = T extends object
  ? { [K in keyof T as null extends T[K] ? never : K]: WithoutNulls<T[K]> } & {
      [K in keyof T as null extends T[K] ? K : never]?: WithoutNulls<T[K]>;
    }
  : T;

it('[M17] [M18] [M30] a message has every field that the official type requires, and null only as a stop reason', async () => {
  // Compiles only as long as no field is missing or of another type.
  const official = (message: MessageObject): WithoutNulls<Message> => message;
  type SentEvent = Exclude<MessageStreamEvent, { type: 'ping' }>;
  const officialEvent = (event: SentEvent): WithoutNulls<RawMessageStreamEvent> => event;
  const nullsOf = (value: unknown): string[] =>
    [...JSON.stringify(value).matchAll(/"(\w+)":null/g)].map(([, name]) => name!);
  const message = official(await create({ tools: TOOLS, messages: [user('How is the weather?')] }));
  expect(nullsOf(message)).toEqual(['stop_sequence']);
  const thinking = { type: 'enabled', budget_tokens: 1000 };
  const events = (await postStream(await build(), 'messages', { ...valid, thinking })).map(officialEvent);
  expect(events.flatMap(nullsOf)).toEqual(['stop_reason', 'stop_sequence', 'stop_sequence']);
});

it('[M18] usage counts input and output', async () => {
  const { usage } = await create();
  expect(usage.input_tokens).toBeGreaterThan(0);
  expect(usage.output_tokens).toBeGreaterThan(0);
  expect(usage).toMatchObject({ cache_read_input_tokens: 0, cache_creation_input_tokens: 0 });
});

it('[M19] a natural end is end_turn', async () => {
  expect((await create()).stop_reason).toBe('end_turn');
});

it('[M20] a cut is max_tokens', async () => {
  const message = await create({ max_tokens: 4 });
  expect(message.stop_reason).toBe('max_tokens');
  expect(message.usage.output_tokens).toBeLessThanOrEqual(4);
  expect(TEXT.startsWith(message.content[0].text)).toBe(true);
});

it('[M20] a cut tool call has an object of what was certain', async () => {
  const whole = await create(weather);
  const inputOf = (message: any): any => uses(message)[0]?.input ?? {};
  let cuts = 0;
  for (let max_tokens = whole.usage.output_tokens - 1; max_tokens > 4; max_tokens -= 1) {
    const message = await create({ ...weather, max_tokens });
    const input = inputOf(message);
    const isCut = message.stop_reason === 'max_tokens';
    if (isCut && uses(message).length > 0) cuts += 1;
    // The cut may fall behind the arguments: then the call is whole.
    expect(isCut ? 'max_tokens' : inputOf(whole)).toEqual(isCut ? message.stop_reason : input);
    expect(inputOf(whole)).toMatchObject({ ...input, days: expect.arrayContaining(input.days ?? []) });
  }
  expect(cuts).toBeGreaterThan(3);
});

it('[M21] a tool call is a tool_use block', async () => {
  const message = await create(weather);
  expect(message).toMatchObject({
    content: [
      { type: 'text', text: 'Looking.' },
      {
        type: 'tool_use',
        id: expect.stringMatching(/^toolu_/),
        name: 'get_weather',
        input: { city: 'Paris', days: [1, 2] },
      },
    ],
    stop_reason: 'tool_use',
  });
});

it('[M22] a round trip is answered', async () => {
  const { content } = await create(weather);
  const [{ id }] = content.filter(({ type }: any) => type === 'tool_use');
  for (const result of ['sunny', [{ type: 'text', text: 'sunny' }]]) {
    const messages = [
      ...weather.messages,
      { role: 'assistant', content },
      user([{ type: 'tool_result', tool_use_id: id, content: result }]),
    ];
    expect((await create({ messages, tools: TOOLS })).content[0].text).toBe('It is sunny in Paris.');
  }
});

it('[M22] tool results come before the text of their turn', async () => {
  const messages = [
    user('How?'),
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} }] },
    // The scripted model looks at the last message only.
    user([
      { type: 'text', text: 'Is it sunny?' },
      { type: 'tool_result', tool_use_id: 'toolu_1', content: 'No.' },
    ]),
  ];
  expect((await create({ messages, tools: TOOLS })).content[0].text).toBe('It is sunny in Paris.');
});

it('[M23] thinking comes as a block of its own, and only when asked for', async () => {
  const thought = await create({ thinking: { type: 'enabled', budget_tokens: 100 } });
  expect(thought.content).toMatchObject([
    { type: 'thinking', thinking: REASONING, signature: expect.stringMatching(/./) },
    { type: 'text', text: TEXT },
  ]);
  expect(thought.usage.output_tokens_details.thinking_tokens).toBeGreaterThan(0);
  for (const thinking of [undefined, null, { type: 'disabled' }]) {
    expect((await create({ thinking })).content).toMatchObject([{ type: 'text', text: TEXT }]);
  }
  // Released clients leave the budget out; a wrong one is still refused.
  expect((await create({ thinking: { type: 'enabled' } })).content[0]).toMatchObject({ type: 'thinking' });
  expect((await refuse({ ...valid, thinking: { type: 'enabled', budget_tokens: 0 } })).status).toBe(400);
});

it('[M23] thinking ends with its budget', async () => {
  const message = await create({ thinking: { type: 'enabled', budget_tokens: 3 } });
  expect(message.content[0].thinking.length).toBeLessThan(REASONING.length);
});

it('output_config asks for JSON', async () => {
  const schema = { type: 'object', properties: { a: { type: 'number' } } };
  const script = { replies: [{ text: '{"a": 1}' }] };
  const message = await create({ output_config: { format: { type: 'json_schema', schema } } }, { script });
  expect(JSON.parse(message.content[0].text)).toEqual({ a: 1 });
});

it('refuses a model of another task', async () => {
  expect((await refuse(valid, { task: 'embeddings' })).status).toBe(400);
});

it('an answer that is no JSON although it should be is no answer', async () => {
  const body = { ...valid, output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } };
  expect(await postJson(await build(), '/messages', body)).toMatchObject({
    status: 500,
    body: { type: 'error', error: { type: 'api_error' } },
  });
});
