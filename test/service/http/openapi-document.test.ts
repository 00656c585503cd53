/** The whole document: its references, its answers, its forms, and what it does not allow. */
import { Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import type { App } from '../../../src/service/http/app.js';
import { ResponseStorage } from '../../../src/service/response-storage.js';
import { buildApp } from '../../support/build-app.js';
import { get, post, read } from './support/call.js';
import { ALL_TASKS, audioForm, speaker } from './support/models.js';

const MODES = ['service', 'hosted'] as const;

async function build(compatibility: (typeof MODES)[number], apiKeys?: string[]) {
  const { app } = await buildApp({ models: ALL_TASKS, compatibility, ...(apiKeys && { apiKeys }) });
  const headers = apiKeys ? { authorization: `Bearer ${apiKeys[0]}` } : {};
  const { json } = await get(app, '/v1/openapi.json', headers);
  return { app, json };
}

/** All values of the document, with their paths. */
function* valuesOf(value: unknown, path = '#'): Generator<[string, unknown]> {
  yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value))
    yield* valuesOf(inner, `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
}

/** A schema with the document's components below it, as a validator takes it. */
function validatorOf(json: any, schema: object): Validator {
  const { schemas } = json.components;
  return new Validator({ ...schema, components: { schemas } }, '2020-12', false);
}

const bodyOf = (json: any, path: string): any => Object.values(json.paths[path].post.requestBody.content)[0];

describe.each(MODES)('[X29] the document of %s', (mode) => {
  it('has no dead reference', async () => {
    const { json } = await build(mode);
    const values = new Map(valuesOf(json));
    const references = [...values].flatMap(([path, value]) => (path.endsWith('/$ref') ? [value as string] : []));
    expect(references.length).toBeGreaterThan(20);
    expect(references.filter((reference) => !values.has(reference))).toEqual([]);
    expect([...values.keys()].filter((path) => path.endsWith('/$defs'))).toEqual([]);
    const { schemas } = json.components;
    const named = new Set(references.map((reference) => reference.replace('#/components/schemas/', '')));
    expect(Object.keys(schemas).filter((name) => !named.has(name))).toEqual([]);
  });

  it('has an own name, a schema of each answer and only known tags for every operation', async () => {
    const { json } = await build(mode);
    const operations: any[] = Object.values(json.paths).flatMap((path: any) => Object.values(path));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    const tags = new Set(json.tags.map(({ name }: { name: string }) => name));
    for (const { operationId, responses, tags: own } of operations) {
      expect([operationId, own.filter((tag: string) => !tags.has(tag))]).toEqual([operationId, []]);
      for (const [status, { content }] of Object.entries(responses) as [string, any][])
        for (const [type, { schema }] of Object.entries(content) as [string, any][])
          expect([operationId, status, type, schema]).toEqual([operationId, status, type, expect.any(Object)]);
    }
  });

  it('has no choice of one form, and none that anything conforms to', async () => {
    const { json } = await build(mode);
    const choices = [...valuesOf(json)].filter(([path, value]) => /\/(any|one)Of$/.test(path) && Array.isArray(value));
    expect(choices.length).toBeGreaterThan(50);
    const idle = choices.filter(
      ([, value]) =>
        (value as object[]).length < 2 || (value as object[]).some((each) => JSON.stringify(each) === '{}'),
    );
    expect(idle.map(([path]) => path)).toEqual([]);
  });

  it('says what each list holds', async () => {
    const { json } = await build(mode);
    const lists = [...valuesOf(json)].filter(([, value]) => (value as { type?: unknown } | null)?.type === 'array');
    expect(lists.length).toBeGreaterThan(50);
    expect(lists.filter(([, value]) => !Object.hasOwn(value as object, 'items')).map(([path]) => path)).toEqual([]);
  });

  it('has a name for each object that a part of a request may be', async () => {
    const { json } = await build(mode);
    const parts = Object.entries(json.components.schemas).filter(([name]) => /Part\d/.test(name));
    expect(parts.length).toBeGreaterThan(0);
    const nameless = [...valuesOf(Object.fromEntries(parts))].filter(
      ([path, value]) => /\/(any|one)Of\/\d+(\/items)?$/.test(path) && Object.hasOwn(value as object, 'properties'),
    );
    expect(nameless.map(([path]) => path)).toEqual([]);
  });

  it('shows no form that is refused in any case', async () => {
    const { json } = await build(mode);
    const values = [...valuesOf(json)];
    const never = values.filter(([path, value]) => path.endsWith('/not') && JSON.stringify(value) === '{}');
    // A property that must be absent is one of an optional field's forms.
    const needed = never.filter(([path]) => {
      const [, schema, name] = /^(.*)\/properties\/([^/]+)\/not$/.exec(path) ?? [];
      const { required = [] } = (values.find(([each]) => each === schema)?.[1] ?? {}) as { required?: string[] };
      return name !== undefined && required.includes(name);
    });
    expect(needed).toEqual([]);
  });

  it('has an example of each JSON body, which is valid and answered as the document says', async () => {
    const { app, json } = await build(mode);
    const form = new FormData();
    form.set('file', new File(['The key is under the mat.'], 'note.txt'));
    form.set('purpose', 'assistants');
    const file = (await read(await app.request('/v1/files', { method: 'POST', body: form }))).json.id;
    const store = (await post(app, '/v1/vector_stores', { file_ids: [file] })).json.id;
    const real = <Value>(value: Value): Value =>
      JSON.parse(
        JSON.stringify(value)
          .replaceAll(/file-[0-9a-f]{32}|\{file_id\}/g, file)
          .replaceAll('{vector_store_id}', store),
      );
    for (const path of Object.keys(json.paths)) {
      const content = json.paths[path].post?.requestBody?.content['application/json'];
      if (!content) continue;
      expect([path, validatorOf(json, content.schema).validate(content.example)]).toMatchObject([
        path,
        { valid: true },
      ]);
      const answer = await post(app, `/v1${real(path)}`, real(content.example));
      expect([path, answer.status]).toEqual([path, 200]);
      expectDescribed(json, path, 'post', answer.json, answer.headers.get('content-type'));
    }
  });

  it('describes what else is answered', async () => {
    const { app, json } = await build(mode);
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
    const messages = [{ role: 'user', content: 'Hi' }];
    const bodies: [string, object][] = [
      ['/chat/completions', { messages, n: 2, logprobs: true, top_logprobs: 2, tools }],
      ['/chat/completions', { messages, max_tokens: 1, response_format: { type: 'json_object' } }],
      ['/completions', { prompt: 'a', logprobs: mode === 'hosted' ? 2 : true }],
      ['/responses', { input: 'Hi', include: ['message.output_text.logprobs'], max_output_tokens: 1 }],
      ['/messages', { messages, max_tokens: 1, thinking: { type: 'enabled', budget_tokens: 1024 } }],
    ];
    for (const [path, body] of bodies) {
      const answer = await post(app, `/v1${path}`, { model: 'scripted-chat', ...body });
      expect([path, answer.status]).toEqual([path, 200]);
      expectDescribed(json, path, 'post', answer.json);
    }
    for (const path of ['/audio/transcriptions', '/audio/translations']) {
      const form = audioForm();
      form.set('response_format', 'verbose_json');
      for (const sent of [audioForm(), form]) {
        const answer = await read(await app.request(`/v1${path}`, { method: 'POST', body: sent }));
        expect(answer.status).toBe(200);
        if (answer.json) expectDescribed(json, path, 'post', answer.json);
      }
    }
    expectDescribed(json, '/audio/voices', 'get', (await get(app, `/v1/audio/voices?model=${speaker.id}`)).json);
    await post(app, '/v1/api/chat', { model: 'scripted-chat' });
    for (const path of ['/api/tags', '/api/ps', '/api/version'])
      expectDescribed(json, path, 'get', (await get(app, `/v1${path}`)).json);
    for (const headers of [{}, { 'anthropic-version': '2023-06-01' }] as Record<string, string>[]) {
      expectDescribed(json, '/models', 'get', (await get(app, '/v1/models?verbose=true', headers)).json);
      expectDescribed(json, '/models/{id}', 'get', (await get(app, '/v1/models/scripted-chat', headers)).json);
    }
  });

  it('does not allow what the service refuses', async () => {
    const { app, json } = await build(mode);
    const messages = [{ role: 'user', content: 'Hi' }];
    const refusedOnlyInHosted: [string, object][] = [['/completions', { prompt: 'a', echo: true, suffix: 'b' }]];
    const refused: [string, object][] = [
      ['/chat/completions', { messages, stream_options: { include_usage: true } }],
      ['/chat/completions', { messages, top_logprobs: 2 }],
      ['/chat/completions', { messages: [{ role: 'assistant' }] }],
      ['/chat/completions', { messages, functions: [{ name: 'f' }], tools: [] }],
      ['/chat/completions', { messages, tool_choice: 'required' }],
      ['/messages', { messages, max_tokens: 1, tool_choice: { type: 'any' }, tools: [] }],
      ['/completions', { prompt: 'a', stream_options: {} }],
      ['/completions', { prompt: 'a', top_logprobs: 2, logprobs: false }],
      ...(mode === 'hosted' ? refusedOnlyInHosted : []),
      ['/embeddings', { input: '' }],
      ['/embeddings', { input: [] }],
      ['/embeddings', { input: ['a', ''] }],
      ['/embeddings', { input: [[]] }],
      ['/rerank', { query: 'a', documents: ['b'], top_n: 1, top_k: 1 }],
      ['/systemone', { state: 'a', questions: { a: { type: 'noul', criteria: { true: '' } } } }],
      ['/api/pull', { model: '' }],
      ['/tokenize', { messages: [{ role: 'assistant' }] }],
      ['/tokenize', { messages, add_special_tokens: true }],
      ['/api/chat', { messages: [{ role: 'robot', content: 'Hi' }] }],
      ['/api/generate', { prompt: 'a', context: [1] }],
      ['/api/generate', { prompt: 'a', raw: true, system: 'b' }],
    ];
    for (const [path, fields] of refused) {
      const { schema, example } = bodyOf(json, path);
      const body = { model: example.model, ...fields };
      expect([path, fields, validatorOf(json, schema).validate(body).valid]).toEqual([path, fields, false]);
      expect([path, fields, (await post(app, `/v1${path}`, body)).status]).toEqual([path, fields, 400]);
    }
  });

  it('allows what the service reads or passes over', async () => {
    const { app, json } = await build(mode);
    const messages = [{ role: 'user', content: 'Hi' }];
    const forms = { service: { echo: true, suffix: 'b' }, hosted: { logprobs: 2, top_logprobs: 2 } };
    const allowed: [string, object][] = [
      ['/chat/completions', { messages, tool_choice: 'required', functions: [{ name: 'f' }] }],
      ['/completions', { prompt: 'a', ...forms[mode] }],
      ['/chat/completions', { messages, top_logprobs: 0 }],
      ['/completions', { prompt: 'a', top_logprobs: 0 }],
      ['/api/generate', { template: 'a', suffix: 'b', context: [1] }],
    ];
    for (const [path, fields] of allowed) {
      const { schema, example } = bodyOf(json, path);
      const body = { model: example.model, ...fields };
      expect([path, validatorOf(json, schema).validate(body).valid]).toEqual([path, true]);
      expect([path, (await post(app, `/v1${path}`, body)).status]).toEqual([path, 200]);
    }
  });

  it('requires a body where one is read, and has none elsewhere', async () => {
    const kept = new ResponseStorage('memory', { now: Date.now, service: '/v1' });
    const options = { models: ALL_TASKS, compatibility: mode, ...(mode === 'hosted' && kept.optionsFor(mode)) };
    const { app } = await buildApp(options);
    const { json } = await get(app, '/v1/openapi.json');
    const operations = Object.entries<any>(json.paths).flatMap(([path, methods]) =>
      Object.entries<any>(methods).map(([method, { requestBody }]) => ({ path, method, requestBody })),
    );
    const gets = operations.filter(({ method }) => method === 'get');
    expect(gets.filter(({ requestBody }) => requestBody !== undefined)).toEqual([]);
    const read = operations.filter(
      ({ path, requestBody }) => requestBody?.content['application/json'] && !path.includes('{'),
    );
    expect(read.length).toBeGreaterThan(10);
    for (const { path, method, requestBody } of read) {
      const { status } = await app.request(`/v1${path}`, { method: method.toUpperCase() });
      expect([method, path, status === 400]).toEqual([method, path, requestBody.required]);
    }
  });

  it('types the fields of forms', async () => {
    const { json } = await build(mode);
    const { properties } = bodyOf(json, '/audio/transcriptions').schema;
    expect(properties).toMatchObject({
      file: { type: 'string', format: 'binary' },
      stream: { type: 'boolean' },
      temperature: { type: 'number' },
      timestamp_granularities: { type: 'array' },
    });
    for (const field of Object.values(properties) as object[]) expect(field).toHaveProperty('description');
  });

  it('requires a key where one is required', async () => {
    expect((await build(mode)).json.security).toContainEqual({});
    expect((await build(mode, ['key'])).json.security).not.toContainEqual({});
  });

  it('offers the streams of each endpoint that has one', async () => {
    const { app, json } = await build(mode);
    for (const path of ['/chat/completions', '/completions', '/messages', '/responses', '/api/chat', '/api/generate']) {
      const { example } = bodyOf(json, path);
      const answer = await streamed(app, `/v1${path}`, example);
      expect(json.paths[path].post.responses['200'].content).toHaveProperty([answer]);
    }
  });
});

async function streamed(app: App, path: string, body: object): Promise<string> {
  const { headers } = await post(app, path, { ...body, stream: true });
  return headers.get('content-type')!.split(';')[0]!;
}

/** The answer fits its schema, which names all that it has. */
function expectDescribed(json: any, path: string, method: string, answer: unknown, type?: string | null): void {
  const { content } = json.paths[path][method].responses['200'];
  const media = type?.split(';')[0] ?? 'application/json';
  expect([path, content]).toEqual([path, expect.objectContaining({ [media]: expect.anything() })]);
  if (media !== 'application/json') return;
  const { schema } = content[media];
  expect([path, validatorOf(json, schema).validate(answer).errors]).toEqual([path, []]);
  const resolve = (each: any): any =>
    each.$ref ? resolve(json.components.schemas[each.$ref.split('/').at(-1)]) : each;
  const resolved = resolve(schema);
  const forms: any[] = (resolved.anyOf ?? [resolved]).map(resolve);
  const known = new Set(forms.flatMap(({ properties }) => Object.keys(properties)));
  expect([path, Object.keys(answer as object).filter((name) => !known.has(name))]).toEqual([path, []]);
}

it('[X29] allows in hosted no two pasts of a response, and none in the background that is not stored', async () => {
  const kept = new ResponseStorage('memory', { now: Date.now, service: '/v1' });
  const { app } = await buildApp({ models: ALL_TASKS, compatibility: 'hosted', ...kept.optionsFor('hosted') });
  const { json } = await get(app, '/v1/openapi.json');
  for (const path of ['/responses', '/responses/input_tokens', '/responses/compact']) {
    const { schema, example } = bodyOf(json, path);
    for (const fields of [
      { conversation: 'conv_1', previous_response_id: 'resp_1' },
      { background: true, store: false },
    ]) {
      const body = { ...example, ...fields };
      expect([path, fields, validatorOf(json, schema).validate(body).valid]).toEqual([path, fields, false]);
      expect([path, fields, (await post(app, `/v1${path}`, body)).status]).toEqual([path, fields, 400]);
    }
  }
});

it('[X29] allows in hosted what is read or left out, and no misspelt form of what is known', async () => {
  const { json } = await build('hosted');
  const body = { model: 'scripted-chat', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] };
  const validator = validatorOf(json, bodyOf(json, '/messages').schema);
  const allows = (tool: object) => validator.validate({ ...body, tools: [tool] }).valid;
  expect(allows({ name: 'look', input_schema: {} })).toBe(true);
  expect(allows({ type: 'web_search_20250305', name: 'web_search' })).toBe(true);
  expect(allows({ type: 'custom', name: 'look' })).toBe(false);
  expect(allows({})).toBe(false);
});
