/** Errors of the service, whatever the endpoint. */
import { Validator } from '@cfworker/json-schema';
import { describe, expect, it, vi } from 'vitest';
import { InferenceError, INFERENCE_ERROR_CODES } from '../../../../src/core/errors/inference-error.js';
import { COMPATIBILITY } from '../../../../src/service/http/policy/compatibility.js';
import { ENDPOINTS } from '../../../../src/service/http/app.js';
import { unavailableResponse } from '../../../../src/relay/stream/request-payload.js';
import { ERROR_SCHEMAS } from '../../../../src/service/http/openapi/openapi.js';
import { answerErrorShape, ERROR_ROWS } from '../../../../src/service/http/errors/error-table.js';
import type { EndpointName } from '../../../../src/service/http/errors/error-table.js';
import { errorObject, renderError } from '../../../../src/service/http/errors/render-error.js';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import type { Script } from '../../../../src/core/models/script.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { type Answer, chat, get, post, read, UUID } from '../support/call.js';
import { ALL_TASKS, AUDIO_PATHS, audioForm, JSON_ENDPOINTS } from '../support/models.js';

const failing = (failWith: Script['failWith'], options: Parameters<typeof buildApp>[0] = {}) => {
  const script: Script = { replies: [], ...(failWith && { failWith }) };
  return buildApp({ models: ALL_TASKS.map((entry): ModelEntry => ({ ...entry, script })), ...options });
};

/** One request to every inference endpoint. */
async function callAll(build: Awaited<ReturnType<typeof buildApp>>): Promise<[path: string, answer: Answer][]> {
  const answers: [string, Answer][] = [];
  for (const { path, body } of JSON_ENDPOINTS) answers.push([path, await post(build.app, path, body)]);
  for (const path of AUDIO_PATHS)
    answers.push([path, await read(await build.app.request(path, { method: 'POST', body: audioForm() }))]);
  return answers;
}

describe('paths and methods', () => {
  it('[X01] an unknown path: 404 general', async () => {
    const { app } = await buildApp();
    for (const path of ['/v1/nothing', '/v1', '/v1/', '/v1/chat', '/v1/responses/resp_1', '/v1/chat/completions/x']) {
      const { status, json } = await get(app, path);
      expect([path, status]).toEqual([path, 404]);
      expect(json.error.type).toBe('not_found_error');
      expect(json.request_id).toMatch(UUID);
    }
  });

  it.each([
    ['/v1/chat/completion', 'Did you mean `/v1/chat/completions`?'],
    ['/v1/images/generations', '`GET /v1/openapi.json` lists the paths.'],
    ['/chat/completions', 'The base URL must end in `/v1`.'],
    // A client of an intercepted base without its path, too.
    ['/v1/v1/chat/completions', 'Its base URL lacks `/v1`, or has it twice'],
    [`/v1/${'x'.repeat(10_000)}`, '`GET /v1/openapi.json` lists the paths.'],
  ])('[X01] %s: the message says what was probably meant', async (path, hint) => {
    const { json } = await get((await buildApp()).app, path);
    expect(json.error.message).toContain(`This path does not exist. ${hint}`);
  });

  it('names the models that can do what was asked of another one', async () => {
    const { app } = await buildApp({ models: ALL_TASKS });
    const { status, json } = await post(app, '/v1/embeddings', { model: 'scripted-chat', input: 'a' });
    expect([status, json.error.message]).toEqual([
      400,
      'The model `scripted-chat` cannot make embeddings. Use `scripted-embed`.',
    ]);
    const alone = await post((await buildApp()).app, '/v1/embeddings', { model: 'scripted-chat', input: 'a' });
    expect(alone.json.error.message).toMatch(/To do this, add an entry with `task: 'embeddings'` to `models`\.$/);
  });

  it('names the option that `reasoning_effort: "none"` needs', async () => {
    const { json } = await chat((await buildApp()).app, { reasoning_effort: 'none' });
    expect(json.error.message).toMatch(/"max"; "none" needs the option `compatibility: 'hosted'`\.$/);
  });

  it('answers the path by which a page learns that its requests arrive, without a key', async () => {
    const { app } = await buildApp({ apiKeys: [{ key: 'sk-1' }] });
    const { status, headers } = await app.request('/v1/.inpage');
    expect([status, headers.get('x-request-id')]).toEqual([204, expect.stringMatching(UUID)]);
  });

  it('[X02] a wrong method: 405 that names the right one', async () => {
    const { app } = await buildApp({ models: ALL_TASKS });
    const paths = [...JSON_ENDPOINTS.map(({ path }) => path), ...AUDIO_PATHS];
    for (const path of paths) {
      for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
        const { status, headers, json } = await read(await app.request(path, { method }));
        expect([path, status, headers.get('allow')]).toEqual([path, 405, 'POST']);
        expect(json.error.type).toBe('invalid_request_error');
      }
    }
    for (const path of ['/v1/models', '/v1/models/scripted-chat']) {
      const { status, headers } = await post(app, path, {});
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
  });
});

describe('bodies', () => {
  const broken = ['', '{', '{"model":', 'nonsense', '{"a":1}}', "{'a':1}", '\ufeff{'];

  it.each(JSON_ENDPOINTS.map(({ path }) => path))('[X03] invalid JSON on %s: 400 invalid_json', async (path) => {
    const { app } = await buildApp({ models: ALL_TASKS });
    for (const body of broken) {
      const { status, json } = await post(app, path, body);
      expect([body, status, json.error.code]).toEqual([body, 400, 'invalid_json']);
    }
  });

  it('[X03] bytes that are no UTF-8', async () => {
    const { app } = await buildApp();
    const { status, json } = await read(
      await app.request('/v1/chat/completions', { method: 'POST', body: new Uint8Array([0x7b, 0xff, 0x7d]) }),
    );
    expect([status, json.error.code]).toEqual([400, 'invalid_json']);
  });

  it.each(JSON_ENDPOINTS.map(({ path }) => path))('[X04] JSON that is no object on %s: 400', async (path) => {
    const { app } = await buildApp({ models: ALL_TASKS });
    for (const body of ['[]', 'null', '5', '"text"', 'true', '[{}]'])
      expect((await post(app, path, body)).status).toBe(400);
  });

  it.each(JSON_ENDPOINTS)('[X05] unknown fields on $path are ignored', async ({ path, body }) => {
    const { app } = await buildApp({ models: ALL_TASKS });
    expect(
      (await post(app, path, { ...body, surprise: { a: [1] }, ['__proto__']: { n: 9 }, constructor: 'x' })).status,
    ).toBe(200);
  });

  it('nesting beyond reason: 400', async () => {
    const { app } = await buildApp();
    const deep = `{"model":"scripted-chat","messages":[{"role":"user","content":"x"}],"extra":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect((await post(app, '/v1/chat/completions', deep)).status).toBe(400);
    const harmless = { messages: [{ role: 'user', content: `${'['.repeat(500)}\\"${'{'.repeat(500)}` }] };
    expect((await chat(app, harmless)).status).toBe(200);
  });

  it('a body over the limit: 413 payload_too_large', async () => {
    const { app } = await buildApp({ maxBodyBytes: 1000 });
    const { status, json } = await chat(app, { messages: [{ role: 'user', content: 'x'.repeat(2000) }] });
    expect([status, json.error.code]).toEqual([413, 'payload_too_large']);
  });
});

describe('what the models answer', () => {
  it('[X09] an unknown model: 404 in the endpoint’s shape', async () => {
    const { app } = await buildApp({ models: ALL_TASKS });
    for (const { path, body } of JSON_ENDPOINTS) {
      const { status, json } = await post(app, path, { ...body, model: 'nobody' });
      expect([path, status, json.error.type]).toEqual([path, 404, 'not_found_error']);
      expect(json.type).toBe(path === '/v1/messages' ? 'error' : undefined);
      expect(json.request_id).toMatch(UUID);
    }
  });

  it('[X15] [A18] 500 is plain on chat and audio, JSON elsewhere', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    for (const [path, { status, json, headers }] of await callAll(await failing('internal'))) {
      expect([path, status]).toEqual([path, 500]);
      const isPlain = path === '/v1/chat/completions' || path.startsWith('/v1/audio/');
      expect([path, headers.get('content-type')?.startsWith('text/plain')]).toEqual([path, isPlain]);
      const type = path === '/v1/messages' ? 'api_error' : 'internal_error';
      expect([path, json?.error.type]).toEqual([path, isPlain ? undefined : type]);
    }
    log.mockRestore();
  });

  it('[X16] nothing within requestTimeout: 408', async () => {
    for (const [path, { status, json }] of await callAll(await failing('timeout', { requestTimeout: 0.05 }))) {
      expect([path, status]).toEqual([path, 408]);
      expect(json.error.type).toBe(path === '/v1/messages' ? 'api_error' : 'timeout_error');
      expect(json.request_id).toMatch(UUID);
    }
    const { app } = await failing('timeout', { requestTimeout: 0.05 });
    expect((await chat(app, { stream: true })).status).toBe(408);
  });

  it('[X17] no engine: 503 and the sentence', async () => {
    for (const [path, { status, text, headers }] of await callAll(await failing('unavailable'))) {
      expect([path, status, text]).toEqual([path, 503, 'Service Temporarily Unavailable']);
      expect(headers.get('content-type')).toMatch(/^text\/plain/);
    }
  });
});

describe('shapes', () => {
  it('[X10] [X11] general errors have exactly these keys, and a new request_id each time', async () => {
    const { app } = await buildApp();
    const ids = new Set<string>();
    for (const fields of [{ model: 'nobody' }, { n: 0 }, { temperature: 5 }]) {
      const { json } = await chat(app, fields);
      expect(Object.keys(json).toSorted()).toEqual(['error', 'request_id']);
      expect(Object.keys(json.error).toSorted()).toEqual(['code', 'message', 'param', 'type']);
      expect(json.request_id).toMatch(UUID);
      ids.add(json.request_id);
    }
    expect(ids.size).toBe(3);
  });

  it('[X24] every answer carries its id as x-request-id, on /messages as request-id too, and errors repeat it', async () => {
    const builds = [
      await buildApp({ models: ALL_TASKS }),
      await failing('unavailable'),
      await failing('timeout', { requestTimeout: 0.05 }),
    ];
    for (const [path, { headers, json }] of (await Promise.all(builds.map(callAll))).flat()) {
      const id = headers.get('x-request-id');
      expect(id).toMatch(UUID);
      expect(headers.get('inference-id')).toBe(id);
      expect([path, headers.get('request-id')]).toEqual([path, path === '/v1/messages' ? id : null]);
      expect([undefined, id]).toContain(json?.request_id);
    }
    const { app } = builds[0]!;
    for (const path of ['/v1/nothing', '/v1/models', '/v1/models/nobody', '/v1/openapi.json', '']) {
      expect((await get(app, path)).headers.get('x-request-id')).toMatch(UUID);
    }
    const streamed = await chat(app, { stream: true });
    expect(streamed.headers.get('x-request-id')).toBe(streamed.headers.get('inference-id'));
  });

  it('[S26] inside a chat stream every error is general', () => {
    for (const code of INFERENCE_ERROR_CODES) {
      const object = errorObject(new InferenceError(code, 'Something.'), 'chat-completions', 'id');
      expect(object).toMatchObject({
        error: { message: expect.any(String), type: expect.any(String) },
        request_id: 'id',
      });
    }
  });

  const endpoints: EndpointName[] = [
    'chat-completions',
    'completions',
    'messages',
    'responses',
    'embeddings',
    'rerank',
    'audio',
    'models',
    'model',
    'ollama',
    'service',
  ];

  it.each(endpoints)(
    '[X12] [X13] [X14] every error on %s has the documented shape and content type',
    async (endpoint) => {
      for (const code of INFERENCE_ERROR_CODES) {
        const error = new InferenceError(code, 'Something.', { param: 'model', modelOutput: 'x' });
        const id = '9f0e9b9e-0000-4000-8000-000000000000';
        const response = renderError(error, endpoint, id, COMPATIBILITY.service);
        const shape = answerErrorShape(endpoint, code, COMPATIBILITY.service);
        // The specification has an error under 200 on chat completions alone.
        const isWrong = code === 'model_output_invalid' && endpoint !== 'chat-completions';
        expect(response.status).toBe(isWrong ? 500 : ERROR_ROWS[code].status);
        const isText = shape === 'plain' || shape === 'html';
        expect(response.headers.get('content-type')).toMatch(isText ? /^text\// : /^application\/json$/);
        const schema = ERROR_SCHEMAS[shape];
        expect(schema === undefined).toBe(isText);
        const text = await response.text();
        const errors = schema && new Validator(schema, '2020-12', false).validate(JSON.parse(text)).errors;
        expect(errors ?? []).toEqual([]);
      }
    },
  );

  it('[G06] the 503 that the relay writes says what the gateway would say', async () => {
    const said = (error: object) => Object.fromEntries(Object.entries(error).filter(([, value]) => value !== null));
    for (const { path, name } of ENDPOINTS.filter((endpoint) => endpoint.name !== 'ollama')) {
      const relayed = unavailableResponse('hosted', `http://page.test/v1${path}?beta=true`, '/v1');
      const { error, request_id, ...rest }: any = await relayed.json();
      const written = renderError(
        new InferenceError('unavailable', 'The file x.onnx is gone.'),
        name,
        request_id,
        COMPATIBILITY.hosted,
      );
      const expected: any = await written.json();
      expect({ path, ...rest }).toEqual({ path, ...(expected.type && { type: expected.type }) });
      expect(expected.request_id).toBe(request_id);
      expect(said(error)).toEqual(said(expected.error));
    }
  });

  it('[O04] the 503 that the relay writes for Ollama’s operations is theirs in both modes', async () => {
    for (const mode of ['service', 'hosted'] as const) {
      const relayed = unavailableResponse(mode, 'http://page.test/llm/api/chat', '/llm');
      expect([relayed.status, relayed.headers.get('retry-after')]).toEqual([503, '1']);
      expect(await relayed.json()).toEqual({ error: expect.stringContaining('Unavailable') });
      const other = unavailableResponse(mode, 'http://page.test/api/embeddings', '/api');
      expect(await other.text()).not.toMatch(/^\{"error":"/);
    }
  });

  it('[X18] bodies of errors carry no stack and no path', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const bodies: string[] = [];
    for (const failWith of ['internal', 'unavailable'] as const)
      for (const [, { text }] of await callAll(await failing(failWith))) bodies.push(text);
    const { app } = await buildApp();
    for (const fields of [{ model: 5 }, { model: 'nobody' }, { messages: 3 }, { tools: [{}] }])
      bodies.push((await chat(app, fields)).text);
    bodies.push((await get(app, '/v1/etc/passwd')).text, (await post(app, '/v1/chat/completions', '{')).text);
    for (const body of bodies)
      expect(body).not.toMatch(/\n\s+at |\.(ts|js|mjs):\d|node_modules|\/src\/|file:\/\/|scripted model fails/);
    log.mockRestore();
  });

  it('errors keep their shape when the thrown value is no Error', async () => {
    const { app } = await buildApp({
      createId: () => '9f0e9b9e-0000-4000-8000-000000000000',
      counterStore: { update: () => Promise.reject('text') },
    });
    const { status, headers } = await chat(app);
    expect(status).toBe(500);
    expect(headers.get('content-type')).toMatch(/^text\/plain/);
  });
});

it('the engine answers normally after all of this', async () => {
  const { app } = await buildApp({ models: [scriptedChat()] });
  await chat(app, { messages: 5 });
  expect((await chat(app)).status).toBe(200);
});
