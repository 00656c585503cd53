/** Both columns of the compatibility table: what `hosted` changes, and that `service` stays as specified. */
import { describe, expect, it, vi } from 'vitest';
import { COMPATIBILITY } from '../../../../src/service/http/policy/compatibility.js';
import { answerErrorShape } from '../../../../src/service/http/errors/error-table.js';
import { INFERENCE_ERROR_CODES, InferenceError } from '../../../../src/core/errors/inference-error.js';
import type { App } from '../../../../src/service/http/app.js';
import type { CompatibilityName } from '../../../../src/core/models/inference-options.js';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import { scriptedBackend } from '../../../../src/engines/scripted/scripted-backend.js';
import { upstreamBackend } from '../../../../src/engines/upstream/upstream-backend.js';
import type { Backend } from '../../../../src/core/models/backend.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { type Answer, chat, eventsOf, post, read } from '../support/call.js';
import { ALL_TASKS, AUDIO_PATHS, audioForm, JSON_ENDPOINTS, listener } from '../support/models.js';

const LOOK = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } };
const CALL = {
  match: 'look',
  text: 'Let me see.',
  toolCalls: [{ name: 'look', arguments: { at: 'the sea '.repeat(20) } }],
};
const REPLIES = [
  CALL,
  { match: 'JSON', text: '{"city":"Paris","days":[1,2,3,4]}' },
  { text: 'Hello there, friend.', reasoning: 'A greeting.' },
];
const SPOKEN = 'Good morning to you. It is <late> & dark!';

async function build(compatibility: CompatibilityName, overrides: Partial<ModelEntry> = {}): Promise<App> {
  const models = ALL_TASKS.map((entry) => ({ ...entry, ...overrides }));
  if (!overrides.script) {
    models[0] = scriptedChat({ script: { replies: REPLIES } });
    models[2] = { ...listener, script: { replies: [{ text: SPOKEN }] } };
  }
  return (await buildApp({ models, compatibility })).app;
}

const says = (content: string) => ({ messages: [{ role: 'user', content }] });

const transcribe = async (app: App, fields: Record<string, string>, units: string[] = []): Promise<Answer> => {
  const form = audioForm(fields);
  for (const unit of units) form.append('timestamp_granularities[]', unit);
  return read(await app.request(AUDIO_PATHS[0]!, { method: 'POST', body: form }));
};

/** One request to every inference endpoint. */
async function callAll(app: App): Promise<[path: string, answer: Answer][]> {
  const answers: [string, Answer][] = [];
  for (const { path, body } of JSON_ENDPOINTS) answers.push([path, await post(app, path, body)]);
  for (const path of AUDIO_PATHS) {
    answers.push([path, await read(await app.request(path, { method: 'POST', body: audioForm() }))]);
  }
  return answers;
}

const CUT: [title: string, fields: Record<string, unknown>][] = [
  ['structured output', { ...says('JSON'), response_format: { type: 'json_object' }, max_tokens: 6 }],
  ['a tool call', { ...says('look'), tools: [LOOK], max_tokens: 30 }],
  ['a forced tool call', { ...says('look'), tools: [LOOK], tool_choice: 'required', max_tokens: 30 }],
];

describe('hosted', () => {
  it.each(CUT)('[G01] %s that the limit cuts is an answer with finish_reason length', async (_, fields) => {
    const app = await build('hosted');
    const { status, json } = await chat(app, fields);
    expect(status).toBe(200);
    expect(json).not.toHaveProperty('error');
    const [{ message, finish_reason: reason }] = json.choices;
    expect([reason, json.usage.stop_reason]).toEqual(['length', 'length']);
    const written = message.tool_calls?.[0].function.arguments ?? message.content;
    expect(() => JSON.parse(written)).toThrow(SyntaxError);
    expect(written).toMatch(/^\{/);

    const { text } = await chat(app, { ...fields, stream: true });
    const events = eventsOf(text);
    expect(events.at(-1)?.data).toBe('[DONE]');
    expect(events.some(({ json: event }) => event?.error)).toBe(false);
    const choices = events.flatMap(({ json: event }) => event?.choices ?? []);
    expect(choices.at(-1).finish_reason).toBe('length');
    const pieces = choices.map(({ delta }) => delta.tool_calls?.[0].function.arguments ?? '').join('');
    const content = choices.map(({ delta }) => delta.content ?? '').join('');
    expect(message.tool_calls ? pieces : content).toBe(written);
  });

  const WRONG: [path: string, fields: Record<string, unknown>, written: string[]][] = [
    ['chat/completions', { response_format: { type: 'json_object' } }, ['choices', '0', 'message', 'content']],
    ['responses', { text: { format: { type: 'json_object' } } }, ['output', '0', 'content', '0', 'text']],
    [
      'messages',
      { max_tokens: 50, output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
      ['content', '0', 'text'],
    ],
  ];

  it.each(WRONG)('[G20] /%s: what the model wrote instead of JSON is the answer', async (path, fields, place) => {
    const app = await build('hosted', { script: { replies: [{ text: 'No JSON at all.' }] } });
    const messages = [{ role: 'user', content: 'Hello.' }];
    const body = { model: 'scripted-chat', ...(path === 'responses' ? { input: 'Hello.' } : { messages }), ...fields };
    const { status, json } = await post(app, `/v1/${path}`, body);
    expect([status, place.reduce((value, key) => value?.[key], json)]).toEqual([200, 'No JSON at all.']);
    expect(json.error ?? null).toBeNull();
    expect(json.choices?.[0].finish_reason ?? json.stop_reason ?? json.status).toMatch(/^(stop|end_turn|completed)$/);
    const { text } = await post(app, `/v1/${path}`, { ...body, stream: true });
    expect(text).not.toMatch(/"error":\{|event: error|response\.failed/);
    expect(text).toContain('JSON');
  });

  it('[G20] a call whose arguments are no object is the answer, as it was written', async () => {
    const call = { name: 'look', arguments: '[1' };
    const choice = {
      index: 0,
      delta: { tool_calls: [{ index: 0, id: 'a', function: call }] },
      finish_reason: 'tool_calls',
    };
    const body = `data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`;
    vi.stubGlobal('fetch', async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
    const remote: ModelEntry = {
      id: 'remote',
      task: 'chat',
      backend: 'upstream',
      source: 'https://models.test/v1',
      upstreamModel: 'm',
    };
    const { app } = await buildApp({
      models: [remote],
      compatibility: 'hosted',
      backends: { upstream: upstreamBackend },
    });
    const { status, json } = await chat(app, { model: 'remote', tools: [LOOK] });
    expect([status, json.choices[0].message.tool_calls[0].function]).toEqual([200, call]);
    expect(json.choices[0].finish_reason).toBe('tool_calls');
  });

  it('[G20] a forced call that did not come is no answer, and no error under 200', async () => {
    const app = await build('hosted', { script: { replies: [{ text: 'No.' }] } });
    expect((await chat(app, { tools: [LOOK], tool_choice: 'required' })).status).toBe(400);
  });

  it('an engine that refuses to give another answer (`built-in`) is a 500, but on chat in service no error under 200', async () => {
    const strict: Backend = {
      async load(entry, options) {
        const model = await scriptedBackend.load(entry, options);
        const refuse = async (): Promise<never> => {
          throw new InferenceError('model_output_invalid', 'No JSON.', { modelOutput: 'No.' });
        };
        return { ...model, generate: () => ({ [Symbol.asyncIterator]: () => ({ next: refuse }) }) };
      },
    };
    const raw = expect.objectContaining({ code: 'model_output_invalid', model_output: 'No.' });
    const dialect = { type: 'api_error', code: 'model_output_invalid', message: 'No JSON.' };
    for (const compatibility of ['service', 'hosted'] as const) {
      const { app } = await buildApp({ compatibility, backends: { scripted: strict } });
      for (const [path, body, error, expected] of [
        ['chat/completions', says('Hi'), raw, compatibility === 'service' ? 200 : 500],
        ['responses', { input: 'Hi' }, raw, 500],
        ['messages', { ...says('Hi'), max_tokens: 9 }, dialect, 500],
        ['api/chat', { ...says('Hi'), stream: false }, 'No JSON.', 500],
      ] as const) {
        const { status, json } = await post(app, `/v1/${path}`, { model: 'scripted-chat', ...body });
        expect([path, status, json.error]).toEqual([path, expected, error]);
      }
    }
  });

  it('[G02] verbose_json has task, language, duration, text and segments with times', async () => {
    const { status, json, headers } = await transcribe(await build('hosted'), { response_format: 'verbose_json' });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('application/json');
    expect(json).toMatchObject({ task: 'transcribe', language: 'english', duration: 2.25, text: SPOKEN });
    expect(json.segments.map(({ id, start, end, text }: any) => [id, start, end, text])).toEqual([
      [0, 0, 1, 'Good morning to you.'],
      [1, 1, 2.25, 'It is <late> & dark!'],
    ]);
    expect(json).not.toHaveProperty('words');
    for (const name of ['seek', 'temperature', 'avg_logprob', 'compression_ratio', 'no_speech_prob']) {
      expect([name, typeof json.segments[0][name]]).toEqual([name, 'number']);
    }
    expect(json.segments[0].tokens.length).toBeGreaterThan(0);
    const form = audioForm({ response_format: 'verbose_json' });
    const translated = await read(
      await (await build('hosted')).request(AUDIO_PATHS[1]!, { method: 'POST', body: form }),
    );
    expect(translated.json.task).toBe('translate');
  });

  it('[G02] words where they are asked for and the model has them', async () => {
    const app = await build('hosted');
    const { json } = await transcribe(app, { response_format: 'verbose_json' }, ['word', 'segment']);
    expect(json.words.slice(0, 2)).toEqual([
      { word: 'Good', start: 0, end: 0.25 },
      { word: 'morning', start: 0.25, end: 0.5 },
    ]);
    expect(json.segments).toHaveLength(2);
    const wrong = await transcribe(app, { response_format: 'verbose_json' }, ['syllable']);
    expect([wrong.status, wrong.json.error.param]).toEqual([400, 'timestamp_granularities']);
  });

  it('[G02] times that the model does not give: 400', async () => {
    const timeless: Backend = {
      async load(entry, options) {
        const model = await scriptedBackend.load(entry, options);
        return {
          ...model,
          async *transcribe(request, signal) {
            for await (const event of model.transcribe!(request, signal)) {
              if (event.type === 'delta') yield event;
              else
                yield {
                  ...event,
                  segments: request.times === 'words' ? event.segments : undefined,
                  words: undefined,
                } as never;
            }
          },
        };
      },
    };
    const { app } = await buildApp({ models: [listener], compatibility: 'hosted', backends: { scripted: timeless } });
    const refused = [
      await transcribe(app, { response_format: 'verbose_json' }, ['word']),
      await transcribe(app, { response_format: 'srt' }),
    ];
    expect(refused.map(({ status, json }) => [status, json.error.param])).toEqual([
      [400, 'timestamp_granularities'],
      [400, 'response_format'],
    ]);
  });

  it('[G03] srt and vtt are files with the segments’ times', async () => {
    const app = await build('hosted');
    const srt = await transcribe(app, { response_format: 'srt' });
    expect(srt.text).toBe(
      '1\n00:00:00,000 --> 00:00:01,000\nGood morning to you.\n\n2\n00:00:01,000 --> 00:00:02,250\nIt is <late> & dark!\n\n',
    );
    const vtt = await transcribe(app, { response_format: 'vtt' });
    expect(vtt.text).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nGood morning to you.\n\n00:00:01.000 --> 00:00:02.250\nIt is &lt;late> &amp; dark!\n\n',
    );
    expect(vtt.headers.get('content-type')).toContain('text/vtt');
  });

  it('[G04] text completions are text_completion objects, streamed or not', async () => {
    const app = await build('hosted');
    const body = { model: 'scripted-chat', prompt: 'Once' };
    expect((await post(app, '/v1/completions', body)).json.object).toBe('text_completion');
    const { text } = await post(app, '/v1/completions', { ...body, stream: true });
    const objects = eventsOf(text).flatMap(({ json }) => json?.object ?? []);
    expect(new Set(objects)).toEqual(new Set(['text_completion']));
  });

  it('[G05] reasoning_effort none turns thinking off', async () => {
    const app = await build('hosted');
    const thinking = { chat_template_kwargs: { enable_thinking: true } };
    expect((await chat(app, thinking)).json.choices[0].message.reasoning).toBe('A greeting.');
    const off = await chat(app, { ...thinking, reasoning_effort: 'none' });
    expect(off.json.choices[0].message).not.toHaveProperty('reasoning');
    expect((await chat(app, { reasoning_effort: 'off' })).json.error.param).toBe('reasoning_effort');
  });

  it('[G06] 500 and 503 are JSON everywhere', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    for (const [failWith, status] of [
      ['internal', 500],
      ['unavailable', 503],
    ] as const) {
      for (const [path, answer] of await callAll(await build('hosted', { script: { replies: [], failWith } }))) {
        expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, status, 'application/json']);
        const isMessages = path === '/v1/messages';
        expect(answer.json.error.type).toBe(isMessages ? 'api_error' : 'internal_error');
        expect(answer.json.type).toBe(isMessages ? 'error' : undefined);
        expect(answer.json.request_id).toBe(answer.headers.get('x-request-id'));
      }
    }
    log.mockRestore();
  });

  it('[G07] what is flat, simple or a page elsewhere is general', async () => {
    const app = await build('hosted');
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    const form = { method: 'POST', body: 'no form', headers: { 'content-type': 'multipart/form-data; boundary=b' } };
    const answers = [
      await chat(app, { messages: [{ role: 'user', content: [image] }] }),
      await chat(app, { tools: [LOOK], tool_choice: 'required' }),
      await read(await app.request('/v1/models/nobody')),
      await read(await app.request(AUDIO_PATHS[0]!, form)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 404, 400]);
    for (const { json } of answers) {
      expect(Object.keys(json).toSorted()).toEqual(['error', 'request_id']);
      expect(Object.keys(json.error).toSorted()).toEqual(['code', 'message', 'param', 'type']);
    }
  });

  it('[G08] json_schema.name may be absent', async () => {
    const json_schema = { schema: { type: 'object' } };
    const { status, json } = await chat(await build('hosted'), {
      ...says('JSON'),
      response_format: { type: 'json_schema', json_schema },
    });
    expect([status, JSON.parse(json.choices[0].message.content).city]).toEqual([200, 'Paris']);
  });

  it('nothing else differs: every other error keeps its shape', () => {
    const changed = new Set(['flat', 'simple', 'html']);
    for (const endpoint of ['chat-completions', 'messages', 'responses', 'audio', 'models', 'model'] as const) {
      for (const code of INFERENCE_ERROR_CODES) {
        const service = answerErrorShape(endpoint, code, COMPATIBILITY.service);
        const openai = answerErrorShape(endpoint, code, COMPATIBILITY.hosted);
        const isChanged = changed.has(service) || code === 'internal' || code === 'unavailable';
        const general = endpoint === 'messages' ? 'messages' : 'general';
        expect([endpoint, code, openai]).toEqual([endpoint, code, isChanged ? general : service]);
      }
    }
  });
});

describe('service', () => {
  it.each(CUT)('[C41] [C42] [S12] %s that the limit cuts is an error with the raw text', async (_, fields) => {
    const app = await build('service');
    const { status, json } = await chat(app, fields);
    expect(status).toBe(200);
    expect(json.error.model_output).toEqual(expect.any(String));
    const { text } = await chat(app, { ...fields, stream: true });
    expect(eventsOf(text).at(-2)?.json.error.model_output).toBe(json.error.model_output);
  });

  it('[A09] verbose_json, srt and vtt are the bare transcript, whatever times are asked for', async () => {
    const app = await build('service');
    for (const response_format of ['verbose_json', 'srt', 'vtt']) {
      const { status, text } = await transcribe(app, { response_format }, ['word', 'nonsense']);
      expect([status, text]).toEqual([200, SPOKEN]);
    }
  });

  it('[T03] [C40] [C44] [C48] the rest is as specified', async () => {
    const app = await build('service');
    expect((await post(app, '/v1/completions', { model: 'scripted-chat', prompt: 'a' })).json.object).toBe(
      'chat.completion',
    );
    const json_schema = { schema: { type: 'object' } };
    const unnamed = await chat(app, { response_format: { type: 'json_schema', json_schema } });
    expect(unnamed.json.error.param).toBe('response_format.json_schema.name');
    expect((await chat(app, { reasoning_effort: 'none' })).json.error.param).toBe('reasoning_effort');
    expect(typeof (await chat(app, { tools: [LOOK], tool_choice: 'required' })).json.error).toBe('string');
  });

  it('is what there is by default', async () => {
    const { app } = await buildApp();
    expect((await chat(app, { reasoning_effort: 'none' })).status).toBe(400);
  });
});
