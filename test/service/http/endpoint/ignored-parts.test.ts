/** Headers that name what a request asks for in vain. */
import { describe, expect, it, vi } from 'vitest';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { deltasOf, eventsOf, post, read } from '../support/call.js';
import { ALL_TASKS, AUDIO_PATHS, audioForm, JSON_ENDPOINTS, streams } from '../support/models.js';

const MODES = ['service', 'hosted'] as const;
const DEMANDS = {
  best_of: 3,
  guided_json: { type: 'object' },
  guided_choice: ['a'],
  guided_regex: 'a+',
  guided_grammar: 'root ::= "a"',
  structured_outputs: { choice: ['a'] },
};

describe.each(MODES)('%s', (compatibility) => {
  it('[X28] fields of other services that demand something are named, each once', async () => {
    const { app } = await buildApp({ models: ALL_TASKS, compatibility });
    for (const endpoint of JSON_ENDPOINTS.filter(streams)) {
      for (const stream of [false, true]) {
        const { headers } = await post(app, endpoint.path, { ...endpoint.body, ...DEMANDS, stream, frobnicate: 1 });
        expect([endpoint.path, headers.get('x-ignored-fields')]).toEqual([
          endpoint.path,
          Object.keys(DEMANDS).join(','),
        ]);
        const none = { best_of: 1, guided_json: null, suffix: '', frobnicate: true, safety_identifier: 'x' };
        const plain = await post(app, endpoint.path, { ...endpoint.body, ...none, stream });
        expect([plain.status, plain.headers.get('x-ignored-fields')]).toEqual([200, null]);
      }
    }
  });

  it('[X28] a schema beside json_object', async () => {
    const { app } = await buildApp({
      models: [scriptedChat({ script: { replies: [{ text: '{}' }] } })],
      compatibility,
    });
    const format = { type: 'json_object', schema: { type: 'object' } };
    const [chat, , , responses] = JSON_ENDPOINTS;
    const answers = [
      await post(app, chat!.path, { ...chat!.body, response_format: format }),
      await post(app, responses!.path, { ...responses!.body, text: { format } }),
    ];
    for (const { status, headers } of answers)
      expect([status, headers.get('x-ignored-fields')]).toEqual([200, 'schema']);
  });

  it('[C80] formats that are not kept, each once, whole and streamed', async () => {
    const { app } = await buildApp({
      models: [scriptedChat({ script: { replies: [{ text: '{}' }] } })],
      compatibility,
    });
    const text = (format: string): object => ({ type: 'string', format });
    const schema = {
      type: 'object',
      properties: { format: text('date'), a: text('uri'), b: { anyOf: [text('uri'), text('x,y')] }, c: text('ipv6') },
      default: { format: 'int32' },
    };
    const tool = {
      type: 'function',
      function: { name: 'look', parameters: { type: 'object', properties: { a: text('regex') } } },
    };
    const [chat] = JSON_ENDPOINTS;
    for (const stream of [false, true]) {
      const format = { type: 'json_schema', json_schema: { name: 'a', schema } };
      const answer = await post(app, chat!.path, { ...chat!.body, response_format: format, stream });
      expect([answer.status, answer.headers.get('x-ignored-formats')]).toEqual([200, 'uri,x y']);
      const called = await post(app, chat!.path, { ...chat!.body, tools: [tool], stream });
      expect([called.status, called.headers.get('x-ignored-formats')]).toEqual([200, 'regex']);
      const plain = await post(app, chat!.path, { ...chat!.body, tools: [tool], tool_choice: 'none', stream });
      expect([plain.status, plain.headers.get('x-ignored-formats')]).toEqual([200, null]);
    }
  });

  it('[X28] log-probabilities of transcripts', async () => {
    const { app } = await buildApp({ models: ALL_TASKS, compatibility });
    const form = audioForm();
    form.append('include[]', 'logprobs');
    const { status, headers } = await read(await app.request(AUDIO_PATHS[0]!, { method: 'POST', body: form }));
    expect([status, headers.get('x-ignored-fields')]).toEqual([200, 'include']);
    const plain = await app.request(AUDIO_PATHS[0]!, { method: 'POST', body: audioForm() });
    expect(plain.headers.get('x-ignored-fields')).toBeNull();
  });

  it('[X28] a scripted call for which there is no tool, whole and streamed, and once in the console', async () => {
    const replies = [
      {
        toolCalls: [
          { name: 'look', arguments: {} },
          { name: 'ünder', arguments: {} },
        ],
      },
    ];
    const { app } = await buildApp({ models: [scriptedChat({ script: { replies } })], compatibility });
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    for (const endpoint of JSON_ENDPOINTS.filter(
      ({ path, body }) => streams({ path, body }) && path !== '/v1/completions',
    )) {
      for (const stream of [false, true]) {
        warn.mockClear();
        const { status, headers } = await post(app, endpoint.path, { ...endpoint.body, stream });
        expect([status, headers.get('x-ignored-tool-calls')]).toEqual([200, 'look,%C3%BCnder']);
        expect(warn).toHaveBeenCalledTimes(2);
        expect(warn.mock.calls[0]?.[0]).toContain('`look`');
      }
    }
    const tools = [{ type: 'function', function: { name: 'look' } }];
    const [chat] = JSON_ENDPOINTS;
    const called = await post(app, chat!.path, { ...chat!.body, tools });
    expect(called.headers.get('x-ignored-tool-calls')).toBeNull();
    expect(called.json.choices[0].message.tool_calls).not.toHaveLength(0);
  });
});

it.each([
  ['service', { low: 'Two and two.', high: 'Two and two.' }],
  ['hosted', { low: 'Two and two.', minimal: 'Two and two.', none: undefined }],
] as const)('%s: a scripted reply thinks where an effort is asked for', async (compatibility, efforts) => {
  const replies = [{ text: 'Four.', reasoning: 'Two and two.' }];
  const { app } = await buildApp({ models: [scriptedChat({ script: { replies } })], compatibility });
  const [chat, , , responses] = JSON_ENDPOINTS;
  for (const [effort, reasoning] of Object.entries(efforts)) {
    const asked = { ...chat!.body, reasoning_effort: effort };
    const answer = await post(app, chat!.path, asked);
    expect([effort, answer.json.choices[0].message.reasoning]).toEqual([effort, reasoning]);
    const streamed = deltasOf(eventsOf((await post(app, chat!.path, { ...asked, stream: true })).text));
    expect([effort, streamed.map((delta) => delta['reasoning'] ?? '').join('')]).toEqual([effort, reasoning ?? '']);
    const { json } = await post(app, responses!.path, { ...responses!.body, reasoning: { effort } });
    const item = json.output.find(({ type }: { type: string }) => type === 'reasoning');
    expect([effort, item?.content[0].text]).toEqual([effort, reasoning]);
  }
});
