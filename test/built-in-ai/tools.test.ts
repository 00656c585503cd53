import { expect, it } from 'vitest';
import { collect, failureOf, install, openInference, replying, sentTo } from './support/open-inference.js';

const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const call = (city: string) => ({ name: 'weather', arguments: { city } });
const weather = (execute?: unknown): object => ({
  name: 'weather',
  description: 'Tells the weather of a city.',
  inputSchema,
  ...(execute !== undefined && { execute }),
});

async function open(options: object, ...replies: Parameters<typeof replying>) {
  const service = await openInference(replying(...replies));
  const { window } = await install(service);
  return {
    service,
    LanguageModel: window['LanguageModel'],
    window,
    chat: await window['LanguageModel'].create(options),
  };
}

it('[J16] tools run at once, and what they say goes to the model', async () => {
  const asked: unknown[] = [];
  let running = 0;
  let most = 0;
  const tool = weather(async (values: { city: string }, ...more: unknown[]) => {
    asked.push([values, more.length]);
    most = Math.max(most, (running += 1));
    await new Promise((resolve) => setTimeout(resolve, 10));
    running -= 1;
    if (values.city === 'Atlantis') throw new Error('It has sunk.');
    return values.city === 'Rome' ? 'sunny' : (5 as never);
  });
  for (const expectedOutputs of [undefined, [{ type: 'text' }, { type: 'tool-call' }]]) {
    asked.length = 0;
    const { service, chat } = await open(
      { tools: [tool], ...(expectedOutputs && { expectedOutputs }) },
      { match: 'Weather?', toolCalls: [call('Rome'), call('Atlantis'), call('Oslo')] },
      { text: 'Sun in Rome.' },
    );
    expect(await chat.prompt('Weather?')).toBe('Sun in Rome.');
    expect(asked).toEqual([
      [{ city: 'Rome' }, 0],
      [{ city: 'Atlantis' }, 0],
      [{ city: 'Oslo' }, 0],
    ]);
    expect(most).toBe(3);
    const { messages, tools } = sentTo(service, '/chat/completions').at(-1);
    expect(tools[0].function).toEqual({
      name: 'weather',
      description: 'Tells the weather of a city.',
      parameters: inputSchema,
    });
    expect(messages.slice(2).map(({ role, content }: any) => [role, content])).toEqual([
      ['tool', 'sunny'],
      ['tool', 'Error: It has sunk.'],
      ['tool', 'Error: The tool returned no text.'],
    ]);
    expect(messages.slice(2).map((each: any) => each.tool_call_id)).toEqual(
      messages[1].tool_calls.map((each: any) => each.id),
    );
  }

  const endless = await open({ tools: [weather(async () => 'Again.')] }, { toolCalls: [call('Rome')], text: '' });
  await endless.chat.prompt('Weather?');
  const rounds = sentTo(endless.service, '/chat/completions');
  expect(rounds.length).toBe(17);
  expect(rounds.map(({ tool_choice }) => tool_choice)).toEqual([...Array(16).fill(undefined), 'none']);

  const stop = new AbortController();
  const aborting = await open(
    { tools: [weather(() => new Promise(() => stop.abort(new Error('Mine.'))))] },
    {
      toolCalls: [call('Rome')],
    },
  );
  expect(await failureOf(aborting.chat.prompt('Weather?', { signal: stop.signal }))).toMatchObject({
    message: 'Mine.',
  });

  const execute = async () => '';
  const circular: { type: string; self?: object } = { type: 'object' };
  circular.self = circular;
  for (const tools of [
    [{ ...weather(execute), name: '' }],
    [{ ...weather(execute), name: 'no spaces' }],
    [weather(execute), weather(execute)],
    [{ ...weather(execute), description: '' }],
    [{ ...weather(execute), inputSchema: undefined }],
    [{ ...weather(execute), inputSchema: { type: 'string' } }],
    [{ ...weather(execute), inputSchema: circular }],
  ])
    expect(await failureOf(endless.LanguageModel.create({ tools }))).toBeInstanceOf(TypeError);
});

it('[J17] calls are parts where the page runs the tools itself', async () => {
  const { service, chat, window, LanguageModel } = await open(
    { tools: [weather()], expectedOutputs: [{ type: 'text' }, { type: 'tool-call' }] },
    { match: 'Weather?', toolCalls: [call('Rome')] },
    { match: 'Text?', text: 'Only text.' },
    { match: 'Both?', text: 'Let me see.', toolCalls: [call('Oslo')] },
    { text: 'Thanks.' },
  );
  const [part] = await chat.prompt('Weather?');
  expect(part).toMatchObject({ type: 'tool-call', value: { name: 'weather', arguments: { city: 'Rome' } } });
  expect(part.value).toBeInstanceOf(window['LanguageModelToolCall']);
  const { callId } = part.value;
  const { LanguageModelToolSuccess, LanguageModelToolError } = window;
  const answers = [
    { callId, name: 'weather', result: [{ type: 'text', value: 'sunny' }] },
    { callId, name: 'weather', errorMessage: 'No net.' },
    new LanguageModelToolSuccess({ callId, name: 'weather', result: [{ type: 'text', value: 'sunny' }] }),
    new LanguageModelToolError({ callId, name: 'weather', errorMessage: 'No net.' }),
  ];
  const said: string[] = [];
  for (const value of answers) {
    const clone = await chat.clone();
    const content = [{ type: 'tool-response', value }];
    expect(await clone.prompt([{ role: 'user', content }])).toEqual([{ type: 'text', value: 'Thanks.' }]);
    const last = sentTo(service, '/chat/completions').at(-1).messages.at(-1);
    expect(last).toMatchObject({ role: 'tool', tool_call_id: callId });
    said.push(last.content);
  }
  expect(said).toEqual(['sunny', 'Error: No net.', 'sunny', 'Error: No net.']);

  expect(await chat.prompt('Text?')).toEqual([{ type: 'text', value: 'Only text.' }]);
  const pieces = (await collect<any[]>(chat.promptStreaming('Both?'))).flat();
  expect(
    pieces
      .filter(({ type }) => type === 'text')
      .map(({ value }) => value)
      .join(''),
  ).toBe('Let me see.');
  expect(pieces.at(-1)).toMatchObject({ type: 'tool-call', value: { arguments: { city: 'Oslo' } } });

  const history = [
    { role: 'user', content: 'Weather?' },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', value: { callId: 'c1', name: 'weather', arguments: { city: 'Bern' } } }],
    },
    {
      role: 'user',
      content: [
        { type: 'tool-response', value: { callId: 'c1', name: 'weather', result: [{ type: 'text', value: 'rain' }] } },
      ],
    },
  ];
  const options = { tools: [weather()], expectedOutputs: [{ type: 'tool-call' }] };
  const begun = await LanguageModel.create({ ...options, initialPrompts: history });
  const appended = await LanguageModel.create(options);
  await appended.append(history);
  for (const each of [begun, appended]) {
    await each.prompt('So?');
    expect(sentTo(service, '/chat/completions').at(-1).messages).toEqual([
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'rain' },
      { role: 'user', content: 'So?' },
    ]);
  }
  const [, callMessage, response] = history as any[];
  expect(await failureOf(chat.append([{ ...callMessage, role: 'user' }]))).toBeInstanceOf(TypeError);
  expect(await failureOf(chat.append([{ ...response, role: 'assistant' }]))).toBeInstanceOf(TypeError);
  expect(await failureOf(LanguageModel.create({ tools: [weather()] }))).toBeInstanceOf(TypeError);
});
