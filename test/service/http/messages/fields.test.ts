import { expect, it } from 'vitest';
import { buildApp } from '../../../support/build-app.js';
import { post, postJson } from '../../../support/http-client.js';
import { tokenBackend } from '../../../support/token-backend.js';
import { end, PROMPT, token } from '../../answer/token-source.js';
import { build, create, PNG, refuse, REPLIES, TOOLS, user, valid } from './support.js';

it('[M04] content is an array of blocks, too', async () => {
  expect(
    (
      await create({
        messages: [
          user([{ type: 'text', text: 'What', cache_control: { type: 'ephemeral' } }]),
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'Hm.', signature: 'x' },
              { type: 'redacted_thinking', data: 'x' },
              { type: 'text', text: 'Let me see.' },
              { type: 'tool_use', id: 'toolu_1', name: 'get_time', input: {} },
            ],
          },
          user([
            { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: '12:00' }] },
            { type: 'text', text: 'And now?' },
          ]),
        ],
      })
    ).type,
  ).toBe('message');
});

it('[M04] a block in the wrong turn is refused, not dropped', async () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
  const wrong = {
    user: [
      { type: 'tool_use', id: 'toolu_1', name: 'get_time', input: {} },
      { type: 'thinking', thinking: 'Hm.', signature: 'x' },
      { type: 'redacted_thinking', data: 'x' },
    ],
    assistant: [image, { type: 'tool_result', tool_use_id: 'toolu_1', content: '12:00' }],
  };
  for (const [role, blocks] of Object.entries(wrong)) {
    for (const block of blocks) {
      const messages = [user('Hello'), { role, content: [{ type: 'text', text: 'Yes?' }, block] }, user('Bye')];
      expect((await refuse({ ...valid, messages })).body.error.param).toBe('messages.1.content.1.type');
    }
  }
});

it('[M06] system is a string or text blocks', async () => {
  const plain = await create();
  for (const system of [
    'Be kind.',
    [
      { type: 'text', text: 'Be ' },
      { type: 'text', text: 'kind.' },
    ],
  ]) {
    expect((await create({ system })).usage.input_tokens).toBeGreaterThan(plain.usage.input_tokens);
  }
});

it('the first problem in the order of the fields is reported', async () => {
  const wrong = { temperature: 9, stream: 'yes', tools: 5, tool_choice: 5 };
  const body = { ...wrong, system: 5, max_tokens: 0, messages: [], model: 5 };
  const order = ['model', 'messages', 'max_tokens', 'system', 'temperature', 'stream', 'tools', 'tool_choice'];
  const seen: string[] = [];
  for (let fixed: object = body; seen.length < order.length;) {
    const { param } = (await refuse(fixed)).body.error;
    seen.push(param);
    fixed = { ...fixed, [param]: { ...valid, tools: TOOLS }[param as 'model'] };
  }
  expect(seen).toEqual(order);
});

it('[M11] stop_sequences name the one that fired', async () => {
  expect(await create({ stop_sequences: ['lazy', 'wn fo'] })).toMatchObject({
    content: [{ type: 'text', text: 'The quick bro' }],
    stop_reason: 'stop_sequence',
    stop_sequence: 'wn fo',
  });
});

it('[M11] a stop sequence inside JSON or a call is named, too', async () => {
  const format = { type: 'json_schema', schema: { type: 'object' } };
  const script = { replies: [{ text: '{"a": 1, "b": 2}' }] };
  expect(await create({ output_config: { format }, stop_sequences: [','] }, { script })).toMatchObject({
    content: [{ type: 'text', text: '{"a": 1' }],
    stop_reason: 'stop_sequence',
    stop_sequence: ',',
  });
  const pieces = ['Looking.', '<tool_call>', '{"name": "get_weather", ', '"arguments": {"city": "Paris", '];
  for (const [length, input] of [
    [2, undefined],
    [4, { city: 'Paris' }],
  ] as const) {
    const events = [
      PROMPT,
      ...pieces.slice(0, length).map((piece) => token(piece)),
      end(0, { stopSequence: '"days"' }),
    ];
    const { app } = await buildApp({ backends: { scripted: tokenBackend(events) } });
    const body = { ...valid, tools: TOOLS, tool_choice: { type: 'any' }, stop_sequences: ['"days"'] };
    expect((await postJson(app, '/messages', body)).body).toMatchObject({
      content: [{ text: 'Looking.' }, ...(input ? [{ type: 'tool_use', name: 'get_weather', input }] : [])],
      stop_reason: 'stop_sequence',
      stop_sequence: '"days"',
    });
  }
});

it('[M12] a tool has a name of 1 to 128 letters, digits, underscores and dashes', async () => {
  const tool = { input_schema: { type: 'object' } };
  for (const name of ['get weather', '', 'a'.repeat(129), undefined])
    expect((await refuse({ ...valid, tools: [{ ...tool, name }] })).status).toBe(400);
  expect((await create({ tools: [{ ...tool, name: 'a'.repeat(128) }] })).type).toBe('message');
});

it('[M13] a tool’s input_schema is a schema', async () => {
  const impossible = [{ name: 'get_weather', input_schema: { type: 'triangle' } }];
  expect((await refuse({ ...valid, tools: impossible })).body.error.param).toMatch(/^tools\.0\.input_schema/);
});

it('[M14] there are at most 128 tools', async () => {
  const tools = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `tool_${index}`, input_schema: { type: 'object' } }));
  expect((await refuse({ ...valid, tools: tools(129) })).status).toBe(400);
  expect((await create({ tools: tools(128) }, { contextLength: 100_000 })).type).toBe('message');
});

it('[M24] an image for a model without eyes is refused', async () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
  expect((await refuse({ ...valid, messages: [user([image, { type: 'text', text: 'What is it?' }])] })).status).toBe(
    400,
  );
  expect(
    (
      await refuse({
        ...valid,
        messages: [user([{ ...image, source: { type: 'url', url: 'https://example.com/a.png' } }])],
      })
    ).status,
  ).toBe(400);
  const broken = { ...image, source: { ...image.source, data: 'AAAA' } };
  expect((await refuse({ ...valid, messages: [user([broken])] })).body.error.param).toBe(
    'messages.0.content.0.source.data',
  );
});

it('[M25] anthropic-version is optional', async () => {
  const app = await build();
  for (const headers of [{}, { 'anthropic-version': '2023-06-01' }]) {
    expect((await post(app, '/messages', valid, headers)).status).toBe(200);
  }
});

it('[M27] every error is the dialect’s', async () => {
  const kinds = [
    [{ ...valid, model: 'nobody' }, 404, 'not_found_error'],
    [{ ...valid, model: 'gone' }, 410, 'not_found_error'],
    [{ ...valid, model: 'secret' }, 422, 'invalid_request_error'],
    [{ ...valid, model: 'broken' }, 500, 'api_error'],
    ['{', 400, 'invalid_request_error'],
  ] as const;
  const model = { task: 'chat', backend: 'scripted', script: { replies: REPLIES } } as const;
  const { app } = await buildApp({
    models: [
      { ...model, id: 'gone', status: 'removed' },
      { ...model, id: 'secret', access: 'not-in-plan' },
      { ...model, id: 'broken', script: { replies: [], failWith: 'internal' } },
    ],
  });
  for (const [body, status, type] of kinds) {
    const answer = await postJson(app, '/messages', body);
    expect(answer).toMatchObject({ status, body: { type: 'error', error: { type, message: expect.any(String) } } });
    expect(answer.body.request_id).toMatch(/^[0-9a-f-]{36}$/);
  }
  const guarded = await buildApp({ models: [{ ...model, id: 'scripted-chat' }], apiKeys: ['right'] });
  expect(await postJson(guarded.app, '/messages', valid)).toMatchObject({
    status: 401,
    body: { type: 'error', error: { type: 'authentication_error' } },
  });
  const limited = await buildApp({ models: [{ ...model, id: 'scripted-chat' }], rateLimits: { requestsPerMinute: 0 } });
  expect(await postJson(limited.app, '/messages', valid)).toMatchObject({
    status: 429,
    body: { type: 'error', error: { type: 'rate_limit_error' } },
  });
});

it('[M31] documents, search results and tool references are read as text', async () => {
  const replies = [
    { match: 'The Seine.', text: 'A text.' },
    { match: 'Two\nparts.', text: 'Parts.' },
    { match: 'Atlas\nhttps://example.com/atlas\nRivers.', text: 'A result.' },
    { match: 'get_tides', text: 'A tool.' },
    { text: 'Nothing.' },
  ];
  const answerTo = async (content: object[]): Promise<string> =>
    (await create({ messages: [user(content)] }, { script: { replies } })).content[0].text;
  const inResult = (block: object) => [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [block] }];
  const source = { type: 'text', media_type: 'text/plain', data: 'The Seine.' };
  const document = { type: 'document', source, title: 'Rivers', context: null };
  const parts = ['Two', 'parts.'].map((text) => ({ type: 'text', text }));
  const found = { type: 'search_result', source: 'https://example.com/atlas', title: 'Atlas' };
  const rivers = { ...found, content: [{ type: 'text', text: 'Rivers.' }], citations: { enabled: true } };
  for (const within of [(block: object) => [block], inResult]) {
    expect(await answerTo(within(document))).toBe('A text.');
    expect(await answerTo(within({ type: 'document', source: { type: 'content', content: parts } }))).toBe('Parts.');
    expect(await answerTo(within(rivers))).toBe('A result.');
  }
  expect(await answerTo(inResult({ type: 'tool_reference', tool_name: 'get_tides' }))).toBe('A tool.');
  const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } };
  const { body } = await refuse({ ...valid, messages: [user([pdf])] });
  expect(body.error.param).toBe('messages.0.content.0.source.data');
});

it('[M29] a prompt longer than the context is refused', async () => {
  expect((await refuse({ ...valid, messages: [user('word '.repeat(100))] }, { contextLength: 16 })).status).toBe(400);
});

it('counts the tokens that the request would have', async () => {
  const app = await build();
  const { max_tokens: _, ...body } = { ...valid, system: 'Be kind.', tools: TOOLS };
  const counted = await postJson(app, '/messages/count_tokens', body);
  const message = await create({ system: 'Be kind.', tools: TOOLS });
  expect(counted).toMatchObject({ status: 200, body: { input_tokens: message.usage.input_tokens } });
  expect(Object.keys(counted.body)).toEqual(['input_tokens']);
  expect(await postJson(app, '/messages/count_tokens', { model: 'scripted-chat' })).toMatchObject({
    status: 400,
    body: { type: 'error', error: { type: 'invalid_request_error' } },
  });
});
