import OpenAI from 'openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, stepCountIs, tool } from 'ai';
import { expect, it, vi } from 'vitest';
import { pageTools } from '../../src/page-tools/index.js';
import { openInference, replying } from '../built-in-ai/support/open-inference.js';

interface Declared {
  name: string;
  title?: string;
  description?: string;
  inputSchema?: object;
  origin?: string;
  window?: object;
  readOnly?: boolean;
  execute?: (values: any, signal?: AbortSignal) => unknown;
}

const OWN = 'https://app.test';

/** A page with these tools, whose browser takes objects (Chromium 156) or texts of JSON (Chrome 151). */
function openPage(tools: Declared[], form: 'object' | 'text' = 'object') {
  const ran: [name: string, values: unknown][] = [];
  const asked: unknown[] = [];
  const frame = {};
  const modelContext = {
    getTools: async (options?: { fromOrigins?: string[] }) => {
      asked.push(options);
      return tools.map(({ readOnly, ...declared }) => ({
        title: '',
        description: 'A tool.',
        origin: OWN,
        window: frame,
        ...declared,
        execute: undefined,
        ...(readOnly !== undefined && { annotations: { readOnlyHint: readOnly } }),
      }));
    },
    executeTool: async (wanted: Declared, input: unknown, { signal }: { signal?: AbortSignal } = {}) => {
      if (form === 'object' && (typeof input !== 'object' || input === null)) throw new TypeError('An object, please.');
      let values = input;
      try {
        if (form === 'text') values = JSON.parse(input as string);
      } catch {
        throw new DOMException('No JSON.', 'UnknownError');
      }
      const found = tools.find(({ name, window = frame }) => name === wanted.name && window === wanted.window)!;
      ran.push([found.name, values]);
      return JSON.stringify(await (found.execute ?? (() => 'done'))(values, signal));
    },
  };
  vi.stubGlobal('document', { modelContext });
  vi.stubGlobal('location', { origin: OWN });
  return { ran, asked, tools };
}

const city = {
  type: 'object',
  properties: { city: { enum: ['Rome', 'Oslo'] }, days: { type: 'integer' } },
  required: ['city'],
};
const weather: Declared = {
  name: 'weather',
  title: 'Weather',
  description: 'Tells the weather.',
  inputSchema: city,
  readOnly: true,
  execute: (values) => `Sun in ${values.city}.`,
};
const chatCalls = (...calls: [name: string, values: unknown][]) => ({
  choices: [
    {
      message: {
        role: 'assistant',
        tool_calls: calls.map(([name, values], index) => ({
          id: `c${index}`,
          type: 'function',
          function: { name, arguments: typeof values === 'string' ? values : JSON.stringify(values) },
        })),
      },
    },
  ],
});
const textsOf = (messages: object[]): string[] => messages.map((each) => (each as { content: string }).content);

it('[J51] lists the tools in the form of each endpoint, and nothing without the interface', async () => {
  openPage([weather]);
  const tools = pageTools();
  expect(tools.supported).toBe(true);
  const [listed] = await tools.list();
  expect(listed).toEqual({
    name: 'weather',
    description: 'Tells the weather.',
    inputSchema: city,
    readOnly: true,
    execute: expect.any(Function),
  });
  const [name, description] = ['weather', 'Tells the weather.'];
  expect(await tools.chat()).toEqual([{ type: 'function', function: { name, description, parameters: city } }]);
  expect(await tools.responses()).toEqual([{ type: 'function', name, description, parameters: city, strict: false }]);
  expect(await tools.messages()).toEqual([{ name, description, input_schema: city }]);

  vi.stubGlobal('document', {});
  const before = Object.keys(globalThis);
  const none = pageTools();
  expect([none.supported, await none.list(), await none.chat(), await none.responses(), await none.messages()]).toEqual(
    [false, [], [], [], []],
  );
  expect(textsOf(await none.run(chatCalls(['weather', {}])))).toEqual([
    'Error: There is no tool `weather` on this page now.',
  ]);
  expect(Object.keys(globalThis)).toEqual(before);
});

it('[J52] makes names fit and unique, and takes other origins only where they are named', async () => {
  const long = 'l'.repeat(80);
  const other = 'https://other.test';
  const page = openPage([
    { name: 'send mail!' },
    { name: 'send_mail_' },
    { name: 'twice', window: { first: true } },
    { name: 'twice', window: { second: true } },
    { name: long },
    { name: 'far', origin: other },
  ]);
  const names = async (tools: ReturnType<typeof pageTools>) => (await tools.list()).map(({ name }) => name);
  const tools = pageTools();
  const own = await names(tools);
  expect(own).toEqual(['send_mail__2', 'send_mail_', 'twice', 'twice_2', 'l'.repeat(64)]);
  expect(await names(pageTools({ origins: [other] }))).toEqual([...own, 'far']);
  expect(page.asked).toEqual([undefined, { fromOrigins: [other] }]);
  expect((await tools.list())[0]!.inputSchema).toEqual({ type: 'object', properties: {} });
  // A name stays a tool's own when the one before it is gone.
  page.tools.splice(2, 1);
  expect(await names(tools)).toEqual(['send_mail__2', 'send_mail_', 'twice_2', 'l'.repeat(64)]);
});

it('[J53] runs the calls of an answer in order, for each endpoint', async () => {
  const { ran } = openPage([weather]);
  const tools = pageTools();
  expect(await tools.run(chatCalls(['weather', { city: 'Rome' }], ['weather', { city: 'Oslo' }]))).toEqual([
    { role: 'tool', tool_call_id: 'c0', content: 'Sun in Rome.' },
    { role: 'tool', tool_call_id: 'c1', content: 'Sun in Oslo.' },
  ]);
  const output = [
    { type: 'message', content: [] },
    { type: 'function_call', call_id: 'f1', name: 'weather', arguments: '{"city":"Rome"}' },
  ];
  expect(await tools.run({ object: 'response', output })).toEqual([
    { type: 'function_call_output', call_id: 'f1', output: 'Sun in Rome.' },
  ]);
  const content = [
    { type: 'text', text: 'Let me see.' },
    { type: 'tool_use', id: 't1', name: 'weather', input: { city: 'Oslo' } },
    { type: 'tool_use', id: 't2', name: 'nobody', input: {} },
  ];
  expect(await tools.run({ type: 'message', role: 'assistant', content })).toEqual([
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't1', content: 'Sun in Oslo.' },
        {
          type: 'tool_result',
          tool_use_id: 't2',
          content: 'Error: There is no tool `nobody` on this page now.',
          is_error: true,
        },
      ],
    },
  ]);
  expect(ran.map(([, values]) => values)).toEqual([
    { city: 'Rome' },
    { city: 'Oslo' },
    { city: 'Rome' },
    { city: 'Oslo' },
  ]);
  for (const answer of [chatCalls(), { output: [] }, { content: 'Only text.' }, { content: [] }, undefined])
    expect(await tools.run(answer)).toEqual([]);
});

it('[J54] asks before a tool runs that changes something, or that is of another origin', async () => {
  const other = 'https://other.test';
  const { ran } = openPage([
    { name: 'buy now', title: 'Buy', description: 'Buys.' },
    { name: 'far', origin: other, readOnly: true },
    { name: 'near', readOnly: true },
  ]);
  const answer = chatCalls(['buy_now', { count: 2 }], ['far', {}], ['near', {}]);
  const silent = pageTools({ origins: [other] });
  const refusal = 'Error: The user did not allow this call.';
  expect(textsOf(await silent.run(answer))).toEqual([refusal, refusal, 'done']);
  const [buy] = await silent.list();
  expect(await buy!.execute({ count: 2 })).toBe(refusal);
  expect(ran.map(([name]) => name)).toEqual(['near']);

  const asked: object[] = [];
  const consent = async (call: object) => asked.push(call) > 0 && !('title' in call && call.title === '');
  expect(textsOf(await pageTools({ origins: [other], consent }).run(answer))).toEqual(['done', refusal, 'done']);
  expect(asked).toEqual([
    { name: 'buy now', title: 'Buy', description: 'Buys.', arguments: { count: 2 }, origin: OWN, readOnly: false },
    { name: 'far', title: '', description: 'A tool.', arguments: {}, origin: other, readOnly: true },
  ]);
});

it('[J55] says in the result what is wrong with a call, and does not run it', async () => {
  const broken: Declared = {
    name: 'broken',
    readOnly: true,
    execute: () => {
      throw new Error('Out of order.');
    },
  };
  const page = openPage([weather, broken]);
  const tools = pageTools();
  const results = await tools.run(
    chatCalls(
      ['weather', '{"city":'],
      ['weather', '[]'],
      ['weather', {}],
      ['weather', { city: 5 }],
      ['weather', { city: 'Rome', days: 1.5 }],
      ['nobody', {}],
    ),
  );
  expect(textsOf(results).every((text) => text.startsWith('Error: '))).toBe(true);
  expect(textsOf(results)[3]).toContain('`arguments.city` must be one of ["Rome","Oslo"]');
  expect(page.ran).toEqual([]);
  expect(textsOf(await tools.run(chatCalls(['broken', {}])))).toEqual(['Error: Out of order.']);
  expect(page.ran.length).toBe(1);
  page.tools.splice(0);
  expect(textsOf(await tools.run(chatCalls(['weather', { city: 'Rome' }])))).toEqual([
    'Error: There is no tool `weather` on this page now.',
  ]);
});

it('[J56] bounds calls and results, and ends with its signal', async () => {
  const long: Declared = { name: 'long', readOnly: true, execute: () => '🍎'.repeat(50_000) };
  const { ran } = openPage([long]);
  const tools = pageTools({ maxCalls: 2 });
  const results = textsOf(await tools.run(chatCalls(['long', {}], ['long', {}], ['long', {}])));
  expect(results.map(({ length }) => length <= 16_384)).toEqual([true, true, true]);
  expect(results[0]!.length).toBeGreaterThan(16_380);
  expect(results[0]!.isWellFormed?.() ?? true).toBe(true);
  expect(results[2]).toBe('Error: No more calls are run: 2 have been.');
  expect([tools.calls, ran.length]).toEqual([2, 2]);
  expect(textsOf(await pageTools({ maxResultChars: 3 }).run(chatCalls(['long', {}])))).toEqual(['🍎']);
  const many = pageTools();
  await many.run(chatCalls(...Array.from({ length: 40 }, (): [string, object] => ['long', {}])));
  expect(many.calls).toBe(32);

  const stop = new AbortController();
  const reason = new Error('Mine.');
  let heard: AbortSignal | undefined;
  openPage([{ name: 'endless', readOnly: true, execute: (_, signal) => new Promise(() => (heard = signal)) }]);
  const ending = pageTools({ signal: stop.signal });
  const running = ending.run(chatCalls(['endless', {}]));
  await expect.poll(() => heard).toBeDefined();
  stop.abort(reason);
  await expect(running).rejects.toBe(reason);
  expect(heard!.aborted).toBe(true);
  await expect(ending.run(chatCalls(['endless', {}]))).rejects.toBe(reason);
});

it.each(['object', 'text'] as const)('works with openai and ai where the browser takes an %s', async (form) => {
  const { ran } = openPage([weather], form);
  const { inference } = await openInference(
    replying(
      { match: 'Weather?', toolCalls: [{ name: 'weather', arguments: { city: 'Rome' } }] },
      { match: 'Sun in Rome', text: 'It is sunny.' },
    ),
  );
  const tools = pageTools();
  const client = new OpenAI({ baseURL: inference.baseURL, apiKey: 'none', fetch: inference.fetch });
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Weather?' }];
  let text: string | null = null;
  for (let round = 0; round < 3 && text === null; round++) {
    const offered = (await tools.chat()) as OpenAI.ChatCompletionTool[];
    const answer = await client.chat.completions.create({ model: 'scripted-chat', messages, tools: offered });
    const results = (await tools.run(answer)) as OpenAI.ChatCompletionMessageParam[];
    messages.push(answer.choices[0]!.message, ...results);
    if (results.length === 0) text = answer.choices[0]!.message.content;
  }
  expect(text).toBe('It is sunny.');
  expect(ran).toEqual([['weather', { city: 'Rome' }]]);

  const provider = createOpenAICompatible({ name: 'inpage', baseURL: inference.baseURL, fetch: inference.fetch });
  const ofPage = (await tools.list()).map(({ name, description, inputSchema, execute }) => [
    name,
    tool({ description, inputSchema: jsonSchema(inputSchema), execute }),
  ]);
  const result = await generateText({
    model: provider('scripted-chat'),
    prompt: 'Weather?',
    tools: Object.fromEntries(ofPage),
    stopWhen: stepCountIs(3),
  });
  expect(result.text).toBe('It is sunny.');
  expect(ran.length).toBe(2);
});
