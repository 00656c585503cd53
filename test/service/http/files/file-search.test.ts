import { describe, expect, it } from 'vitest';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import type { ScriptedReply } from '../../../../src/core/models/script.js';
import type { BuildAppOptions } from '../../../support/build-app.js';
import { scriptedChat } from '../../../support/build-app.js';
import { postStream } from '../../../support/http-client.js';
import { embedder } from '../support/models.js';
import { ask, get, start, storeOf } from './support.js';

const FACTS = {
  'colours.md': 'The door of the old house at the lake is blue since last summer.',
  'codes.txt': 'The code of the safe is QX-4711.',
};
const REPLIES: ScriptedReply[] = [
  { match: 'sunny', text: 'It is sunny 【1】.' },
  { match: 'weather', toolCalls: [{ name: 'get_weather', arguments: {} }] },
  { match: 'QX-4711', text: 'It is QX-4711【1】. That is 【9】 all 【.' },
  { match: 'found nothing', text: 'I do not know 【1】.' },
  { text: 'No files.' },
];
const weather = { type: 'function', name: 'get_weather' };

async function build(options: BuildAppOptions & { script?: ScriptedReply[]; model?: Partial<ModelEntry> } = {}) {
  const { script = REPLIES, model, ...rest } = options;
  const app = await start({ models: [scriptedChat({ script: { replies: script }, ...model }), embedder], ...rest });
  const { id, ids } = await storeOf(app, FACTS);
  const tool = {
    type: 'file_search',
    vector_store_ids: [id],
    ranking_options: { hybrid_search: { embedding_weight: 0, text_weight: 1 } },
  };
  const create = (body: object) => get(app, 'POST', '/responses', { model: 'scripted-chat', tools: [tool], ...body });
  return { app, id, ids, tool, create };
}

const question = { input: 'What is the code of the safe?' };
const include = ['file_search_call.results'];

describe.each(['service', 'hosted'] as const)('file_search: %s', (compatibility) => {
  it('[F19] [F20] [F22] searches before the answer and cites what it used', async () => {
    const { create, ids, tool } = await build({ compatibility });
    const { output, tools } = await create({ ...question, include });
    const [call, message] = output;
    expect(call).toEqual({
      type: 'file_search_call',
      id: expect.stringMatching(/^fs_\w+$/),
      status: 'completed',
      queries: [question.input],
      results: [
        {
          file_id: ids[1],
          filename: 'codes.txt',
          score: expect.any(Number),
          attributes: {},
          text: FACTS['codes.txt'],
        },
        {
          file_id: ids[0],
          filename: 'colours.md',
          score: expect.any(Number),
          attributes: {},
          text: FACTS['colours.md'],
        },
      ],
    });
    expect(message.content[0]).toMatchObject({
      text: 'It is QX-4711. That is 【9】 all 【.',
      annotations: [{ type: 'file_citation', file_id: ids[1], filename: 'codes.txt', index: 13 }],
    });
    expect(tools).toEqual([tool]);
    const without = await create(question);
    expect(without.output[0].results).toBe(null);
    expect(without.usage.input_tokens).toBeGreaterThan(40);
  });

  it('[F19] [F22] streams the search, then the answer without marks', async () => {
    const { app, tool, ids } = await build({ compatibility });
    const events = await postStream(app, 'responses', { model: 'scripted-chat', tools: [tool], ...question });
    const types = events.map(({ type }) => type);
    expect(types.slice(0, 9)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.file_search_call.in_progress',
      'response.file_search_call.searching',
      'response.file_search_call.completed',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
    ]);
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta').map(({ delta }) => delta);
    expect(deltas.join('')).toBe('It is QX-4711. That is 【9】 all 【.');
    const added = events.find(({ type }) => type === 'response.output_text.annotation.added');
    expect(added).toMatchObject({
      output_index: 1,
      content_index: 0,
      annotation_index: 0,
      annotation: { type: 'file_citation', file_id: ids[1], index: 13 },
    });
    expect(events.at(-1).response.output[1].content[0].annotations).toEqual([added.annotation]);
  });

  it('[F21] does not search where the choice says so', async () => {
    const { app, create, id } = await build({ compatibility });
    const tools = [{ type: 'file_search', vector_store_ids: [id] }, weather];
    const kinds = async (body: object) => (await create({ ...question, ...body })).output.map(({ type }: any) => type);
    expect(await kinds({ tool_choice: 'none' })).toEqual(['message']);
    const sought = ['file_search_call', 'message'];
    expect(await kinds({ tool_choice: 'required' })).toEqual(sought);
    expect(await kinds({ tool_choice: { type: 'file_search' } })).toEqual(sought);
    const allowed = (...names: object[]) => ({ tool_choice: { type: 'allowed_tools', mode: 'auto', tools: names } });
    expect(await kinds({ tools, ...allowed({ type: 'file_search' }) })).toEqual(sought);
    expect(await kinds({ tools, ...allowed({ type: 'function', name: 'get_weather' }) })).toEqual(['message']);
    const called = await create({ tools, input: 'the weather?' });
    expect(called.output.map(({ type }: any) => type)).toEqual(['file_search_call', 'function_call']);
    const other = await ask(app, 'POST', '/responses', {
      model: 'scripted-chat',
      tools,
      tool_choice: { type: 'function', name: 'get_weather' },
      input: 'the weather?',
    });
    expect(other.body.output.map(({ type }: any) => type)).toEqual(['function_call']);
  });

  it('[F21] goes on after results without a new item, and reads earlier calls', async () => {
    const { create, id, ids } = await build({ compatibility });
    const tools = [{ type: 'file_search', vector_store_ids: [id] }, weather];
    const input: object[] = [{ role: 'user', content: 'the weather?' }];
    const { output } = await create({ tools, input, include });
    const answer = { type: 'function_call_output', call_id: output[1].call_id, output: 'sunny' };
    const next = await create({ tools, input: [...input, ...output, answer], include });
    expect(next.output.map(({ type }: any) => type)).toEqual(['message']);
    expect(next.output[0].content[0].annotations).toHaveLength(1);
    expect(ids).toContain(next.output[0].content[0].annotations[0].file_id);
    const reference = await create({
      tools: [],
      input: [...input, { type: 'item_reference', id: output[0].id }, { role: 'user', content: 'x' }],
    });
    expect(reference.usage.input_tokens).toBeGreaterThan(30);
  });

  it('[F19] gives the model once what several tools have found', async () => {
    const { create, tool } = await build({ compatibility });
    const { output } = await create({ ...question, tools: [tool, { ...tool, max_num_results: 1 }], include });
    expect(output.map(({ type }: any) => type)).toEqual(['file_search_call', 'message']);
    expect(output[0].results.map(({ filename }: any) => filename)).toEqual(['codes.txt', 'colours.md']);
  });

  it('[F19] refuses wrong fields by their path', async () => {
    const { app, id } = await build({ compatibility });
    const errorOf = async (fields: object) => {
      const tools = [weather, { type: 'file_search', vector_store_ids: [id], ...fields }];
      const { status, body } = await ask(app, 'POST', '/responses', { model: 'scripted-chat', ...question, tools });
      return [status, body.error?.param];
    };
    expect(await errorOf({ vector_store_ids: [id, 'vs_x'] })).toEqual([404, 'tools.1.vector_store_ids.1']);
    expect(await errorOf({ vector_store_ids: Array.from({ length: 17 }, () => id) })).toEqual([
      400,
      'tools.1.vector_store_ids',
    ]);
    expect(await errorOf({ max_num_results: 51 })).toEqual([400, 'tools.1.max_num_results']);
    expect(await errorOf({ filters: { type: 'x' } })).toEqual([400, 'tools.1.filters.type']);
    expect(await errorOf({ ranking_options: { ranker: 'x' } })).toEqual([400, 'tools.1.ranking_options.ranker']);
  });
});

it('[R15] [G10] [F21] a search in stores that are elsewhere is one of a hosted service', async () => {
  const tools = [{ type: 'file_search', vector_store_ids: ['vs_elsewhere'], max_num_results: 'x' }];
  const asked = { model: 'scripted-chat', ...question, tools };
  const service = await ask((await build()).app, 'POST', '/responses', asked);
  expect([service.status, service.body.error.code, service.body.error.param]).toEqual([
    400,
    'unsupported_tool_type',
    'tools.0.type',
  ]);
  const hosted = await ask((await build({ compatibility: 'hosted' })).app, 'POST', '/responses', asked);
  expect([hosted.status, hosted.headers.get('x-ignored-tools')]).toEqual([200, 'file_search']);
});

it('[F20] tells that nothing was found, and counts what is read', async () => {
  const { app, create, tool } = await build();
  const { output } = await create({ input: 'zebra' });
  expect(output[1].content[0]).toMatchObject({ text: 'I do not know 【1】.', annotations: [] });
  const count = async (tools: object[]) =>
    (await get(app, 'POST', '/responses/input_tokens', { model: 'scripted-chat', ...question, tools })).input_tokens;
  expect(await count([tool])).toBeGreaterThan((await count([])) + 20);
});

it('[F20] leaves out the worst where the context is short', async () => {
  const { create } = await build({ model: { contextLength: 160 } });
  const results = async (body: object) => (await create({ ...question, include, ...body })).output[0].results.length;
  expect([await results({ max_output_tokens: 10 }), await results({ max_output_tokens: 75 })]).toEqual([2, 1]);
});

it('[F22] takes out no marks of JSON', async () => {
  const script: ScriptedReply[] = [{ text: '{"a":"【1】"}' }];
  const { create } = await build({ script });
  const { output } = await create({ ...question, text: { format: { type: 'json_object' } } });
  expect(output[1].content[0]).toMatchObject({ text: '{"a":"【1】"}', annotations: [] });
});

it('[F22] cites a sentence that quotes at its end', async () => {
  const text =
    'Look. The door of the old house at the lake is blue! It is 【1】so. The door of the old house at the lake.';
  const { create, ids } = await build({ script: [{ text }] });
  const { output } = await create({ input: 'door and code' });
  const { annotations } = output[1].content[0];
  const clean = text.replace('【1】', '');
  expect(output[1].content[0].text).toBe(clean);
  expect(annotations.map(({ file_id, index }: any) => [file_id, index])).toEqual([
    [ids[0], clean.indexOf('!') + 1],
    [expect.any(String), text.indexOf('【')],
    [ids[0], clean.length],
  ]);
});
