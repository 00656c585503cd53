import type { ResponseCustomToolCall, ResponseReasoningItem } from 'openai/resources/responses/responses.js';
import { describe, expect, it } from 'vitest';
import type { App } from '../../../../src/service/http/app.js';
import type { SentItem } from '../../../../src/service/http/responses/input-schema.js';
import { customToolParts, CustomInputReader } from '../../../../src/service/http/fields/custom-tool.js';
import { RecentItems } from '../../../../src/service/state/recent-items.js';
import type { CustomToolCallItem, ReasoningItem } from '../../../../src/service/http/responses/response-object.js';
import { RequestImages } from '../../../../src/service/http/fields/request-images.js';
import { toMessages } from '../../../../src/service/http/responses/input.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { postJson, postStream } from '../../../support/http-client.js';
import { build, create, itemsOf, REASONING, refuse, TEXT, TOOLS, valid } from './support.js';

const ask = async (app: App, body: object, headers: Record<string, string> = {}): Promise<any> =>
  (await postJson(app, '/responses', { ...valid, ...body }, headers)).body;

const joined = (events: any[], type: string): string =>
  events
    .filter((event) => event.type === `response.${type}`)
    .map(({ delta }) => delta)
    .join('');

describe('references', () => {
  it('[R31] an item of an earlier answer, streamed or not, is found again by its id', async () => {
    const app = await build();
    const question = { role: 'user', content: 'How is the weather?' };
    const first = await ask(app, { input: [question], tools: TOOLS, reasoning: { effort: 'low' } });
    const result = {
      type: 'function_call_output',
      call_id: itemsOf(first, 'function_call')[0].call_id,
      output: 'sunny',
    };
    const references = first.output.map(({ id }: any) => ({ type: 'item_reference', id }));
    const byId = await ask(app, { input: [question, ...references, result], tools: TOOLS });
    const inFull = await ask(app, { input: [question, ...first.output, result], tools: TOOLS });
    expect(itemsOf(byId, 'message')[0].content[0].text).toBe('It is sunny in Paris.');
    expect(byId.usage.input_tokens).toBe(inFull.usage.input_tokens);

    const events = await postStream(app, 'responses', valid);
    const [streamed] = events.at(-1).response.output;
    const again = await ask(app, {
      input: [
        { type: 'item_reference', id: streamed.id },
        { role: 'user', content: 'And?' },
      ],
    });
    expect(again.status).toBe('completed');
  });

  it('[R31] an unknown one is refused with advice, wherever it stands', async () => {
    const call = { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{}' };
    for (const id of ['msg_1', 'rs_1', 'fc_1']) {
      const { param, message } = await refuse({ ...valid, input: [{ type: 'item_reference', id }, call] });
      expect([id, param]).toEqual([id, 'input.0']);
      expect(message).toContain('store: false');
    }
  });

  it('[R31] [X23] another caller does not find it, and neither does another engine', async () => {
    const models = [scriptedChat()];
    const { app } = await buildApp({ models, apiKeys: ['one', 'two'] });
    const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
    const { output } = await ask(app, {}, bearer('one'));
    const input = [
      { type: 'item_reference', id: output[0].id },
      { role: 'user', content: 'And?' },
    ];
    expect((await ask(app, { input }, bearer('one'))).status).toBe('completed');
    expect((await ask(app, { input }, bearer('two'))).error.param).toBe('input.0');
    expect((await ask((await buildApp({ models })).app, { input })).error.param).toBe('input.0');
  });

  it('[R31] what is kept is bounded by number and by bytes, the oldest go first', () => {
    const message = (id: string, text = '') => ({ type: 'message', id, content: [{ type: 'output_text', text }] });
    const few = new RecentItems({ items: 2, bytes: 1e6 });
    for (const id of ['a', 'b', 'c']) few.add('me', message(id));
    expect(['a', 'b', 'c'].map((id) => few.find('me', id)?.id)).toEqual([undefined, 'b', 'c']);
    const small = new RecentItems({ items: 100, bytes: 2000 });
    for (const id of ['a', 'b', 'c']) small.add('me', message(id, 'x'.repeat(300)));
    expect(['a', 'b', 'c'].map((id) => small.find('me', id)?.id)).toEqual([undefined, 'b', 'c']);
    small.add('me', message('huge', 'x'.repeat(3000)));
    expect(['c', 'huge'].map((id) => small.find('me', id)?.id)).toEqual(['c', undefined]);
  });

  it('[R31] an item that comes again takes its room once', () => {
    const items = new RecentItems({ items: 100, bytes: 2000 });
    for (const id of ['a', 'b', 'b', 'b']) items.add('me', { id, text: 'x'.repeat(300) });
    expect(['a', 'b'].map((id) => items.find('me', id)?.id)).toEqual(['a', 'b']);
    items.forget('me', [{ id: 'a' }, { id: 'b' }]);
    for (const id of ['c', 'd', 'e']) items.add('me', { id, text: 'x'.repeat(300) });
    expect(['c', 'd', 'e'].map((id) => items.find('me', id)?.id)).toEqual(['c', 'd', 'e']);
  });
});

describe('reasoning', () => {
  // Compiles only as long as the item has what the official type requires.
  const official = (item: ReasoningItem): ResponseReasoningItem => item;

  it('[R32] summary given: the thinking stands in the summary too', async () => {
    for (const summary of ['auto', 'concise', 'detailed']) {
      const response = await create({ reasoning: { summary } });
      const [item] = itemsOf(response, 'reasoning');
      expect(official(item).summary).toEqual([{ type: 'summary_text', text: REASONING }]);
      expect(item.content).toEqual([{ type: 'reasoning_text', text: REASONING }]);
      expect(response.reasoning.summary).toBe(summary);
    }
    expect((await refuse({ ...valid, reasoning: { summary: 'long' } })).param).toBe('reasoning.summary');
  });

  it('[R32] with its events', async () => {
    const events = await postStream(await build(), 'responses', {
      ...valid,
      reasoning: { effort: 'low', summary: 'auto' },
    });
    expect(joined(events, 'reasoning_summary_text.delta')).toBe(REASONING);
    expect(joined(events, 'reasoning_text.delta')).toBe(REASONING);
    const types = new Set(events.map(({ type }) => type));
    for (const name of ['part.added', 'text.done', 'part.done'])
      expect(types).toContain(`response.reasoning_summary_${name}`);
  });

  it('[R32] not given: it is empty', async () => {
    const [item] = itemsOf(await create({ reasoning: { effort: 'low' } }), 'reasoning');
    expect(item.summary).toEqual([]);
    const events = await postStream(await build(), 'responses', { ...valid, reasoning: { effort: 'low' } });
    expect(events.some(({ type }) => type.includes('summary'))).toBe(false);
  });

  it('[R33] encrypted_content carries the thinking when it was asked for, and is read back', async () => {
    const include = ['reasoning.encrypted_content'];
    const body = { reasoning: { effort: 'low' }, include };
    const [item] = itemsOf(await create(body), 'reasoning');
    expect(official(item).encrypted_content).toEqual(expect.any(String));
    const events = await postStream(await build(), 'responses', { ...valid, ...body });
    expect(itemsOf(events.at(-1).response, 'reasoning')[0].encrypted_content).toBe(item.encrypted_content);
    expect(itemsOf(await create({ reasoning: { effort: 'low' } }), 'reasoning')[0]).not.toHaveProperty(
      'encrypted_content',
    );

    const back: SentItem = { type: 'reasoning', summary: [], content: null, encrypted_content: item.encrypted_content };
    expect(
      toMessages(undefined, { items: [back], earlier: 0, earlierParam: 'conversation' }, new RequestImages()),
    ).toMatchObject([{ role: 'assistant', reasoning: REASONING }]);
    const foreign = { ...back, encrypted_content: 'gAAAAABo', summary: [{ text: 'In short.' }] };
    expect(
      toMessages(undefined, { items: [foreign], earlier: 0, earlierParam: 'conversation' }, new RequestImages()),
    ).toMatchObject([{ role: 'assistant', reasoning: 'In short.' }]);
    const input = [
      { role: 'user', content: 'Hi' },
      back,
      { role: 'assistant', content: 'Yes?' },
      { role: 'user', content: 'Hello' },
    ];
    expect((await create({ input })).status).toBe('completed');
  });
});

describe('custom tools', () => {
  const PATCH = '*** Begin "Patch"\n+\tä 👍\\\n*** End';
  const CODE = { type: 'custom', name: 'apply_patch', description: 'Applies a patch.' };
  const replies = [
    { match: 'Change', toolCalls: [{ name: 'apply_patch', arguments: { input: PATCH } }] },
    { match: 'applied', text: 'Done.' },
    { text: TEXT },
  ];
  const change = { input: 'Change it.', tools: [CODE, ...TOOLS] };
  const official = (item: CustomToolCallItem): ResponseCustomToolCall => item;

  it('[R34] a call is a custom_tool_call item with the input as it is', async () => {
    const response = await create(change, { script: { replies } });
    expect(response.output).toEqual([
      {
        type: 'custom_tool_call',
        id: expect.stringMatching(/^ctc_/),
        call_id: expect.stringMatching(/^call_/),
        name: 'apply_patch',
        input: PATCH,
        status: 'completed',
      },
    ]);
    expect(official(response.output[0]).name).toBe('apply_patch');
    expect(response.tools[0]).toEqual({ ...CODE, format: { type: 'text' } });
  });

  it('[R34] with its events', async () => {
    const events = await postStream(await build({ script: { replies } }), 'responses', { ...valid, ...change });
    expect(
      events.map(({ type }) => type.replace('response.', '')).filter((type, at, all) => type !== all[at - 1]),
    ).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'custom_tool_call_input.delta',
      'custom_tool_call_input.done',
      'output_item.done',
      'completed',
    ]);
    expect(joined(events, 'custom_tool_call_input.delta')).toBe(PATCH);
  });

  it('[R34] the next turn has the call and its output, in full or by reference', async () => {
    const app = await build({ script: { replies } });
    const first = await ask(app, change);
    const [call] = first.output;
    const output = { type: 'custom_tool_call_output', call_id: call.call_id, output: 'applied' };
    for (const item of [call, { type: 'item_reference', id: call.id }]) {
      const second = await ask(app, { ...change, input: [{ role: 'user', content: 'Change it.' }, item, output] });
      expect(itemsOf(second, 'message')[0].content[0].text).toBe('Done.');
    }
    expect(
      toMessages(undefined, { items: [call], earlier: 0, earlierParam: 'conversation' }, new RequestImages()),
    ).toMatchObject([
      { toolCalls: [{ id: call.call_id, name: 'apply_patch', arguments: JSON.stringify({ input: PATCH }) }] },
    ]);
  });

  it('[R34] it can be chosen by name, and its grammar is checked', async () => {
    const chosen = await create(
      { ...change, tool_choice: { type: 'custom', name: 'apply_patch' } },
      { script: { replies } },
    );
    expect(chosen.output[0].name).toBe('apply_patch');
    const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' };
    expect(
      (await create({ ...change, tools: [{ ...CODE, format: grammar }] }, { script: { replies } })).tools[0].format,
    ).toEqual(grammar);
    const wrong = { ...CODE, format: { ...grammar, syntax: 'ebnf' } };
    expect((await refuse({ ...valid, tools: [wrong] })).param).toBe('tools.0.format.syntax');
  });

  it('[R34] expressions that JSON strings can keep become part of the grammar, others are told to the model', () => {
    const patternOf = (definition: string): unknown => {
      const { parameters } = customToolParts('It.', { type: 'grammar', syntax: 'regex', definition });
      return (parameters as any).properties.input.pattern;
    };
    for (const kept of ['[a-z]{2,4}', '(yes|no)', '\\d{4}-\\d{2}-\\d{2}', 'v\\.[0-9]+'])
      expect(patternOf(kept)).toBe(kept);
    for (const told of ['.*', '[^a]', '\\s+', '"', 'a\\\\b', '(?=a)b', '(']) expect(patternOf(told)).toBeUndefined();
    const { description } = customToolParts('It.', { type: 'grammar', syntax: 'lark', definition: 'start: "a"' });
    expect(description).toContain('start: "a"');
    expect(customToolParts(null, null).description).toBeUndefined();
  });

  it('[R34] the input is read out of arguments that are cut anywhere', () => {
    const inputs = [PATCH, '', '\u2028"\\\u0001\ud83d\ude00', 'a\\u0041'];
    const escaped = '{ "input" : "\\ud83d\\ude00\\u00e9\\/\\n" }';
    const cases = [...inputs.map((input) => [JSON.stringify({ input }), input] as const), [escaped, '😀é/\n'] as const];
    for (const [json, input] of cases) {
      for (let cut = 0; cut <= json.length; cut += 1) {
        const reader = new CustomInputReader();
        expect(reader.push(json.slice(0, cut)) + reader.push(json.slice(cut)) + reader.end()).toBe(input);
      }
    }
    const other = new CustomInputReader();
    expect(other.push('{"patch":1}') + other.end()).toBe('{"patch":1}');
    const half = new CustomInputReader();
    expect(half.push('{"input":"abc\\u00') + half.end()).toBe('abc');
    const early = new CustomInputReader();
    expect(early.push('{"inp') + early.end()).toBe('');
  });
});
