import { expect, it } from 'vitest';
import { failureOf, install, openInference } from './support/open-inference.js';

async function open() {
  const service = await openInference();
  const { window } = await install(service);
  const { LanguageModel } = window;
  return { service, LanguageModel, chat: await LanguageModel.create() };
}

const user = (content: unknown): object => ({ role: 'user', content });
const text = (value: unknown): object => ({ type: 'text', value });

it('[J07] refuses options and inputs by the names of the interface, and sends nothing', async () => {
  const { service, LanguageModel, chat } = await open();
  const before = service.sent.length;
  const options: [string, object][] = [
    ['RangeError', { expectedInputs: [{ type: 'text', languages: ['en-abc-'] }] }],
    ['RangeError', { temperature: -1 }],
    ['RangeError', { topK: 0.5 }],
    ['TypeError', { samplingMode: 'wild' }],
    ['TypeError', { samplingMode: 'balanced', temperature: 1 }],
    ['TypeError', { samplingMode: 'balanced', topK: 1 }],
    ['TypeError', { expectedInputs: [{ type: 'text', languages: 'en' }] }],
    ['TypeError', { expectedInputs: [{ type: 'smell' }] }],
    ['TypeError', { expectedOutputs: [{ type: 'smell' }] }],
  ];
  const namesOf = async (...calls: Promise<unknown>[]): Promise<string[]> =>
    (await Promise.all(calls.map(failureOf))).map(({ name }) => name);
  for (const [name, each] of options)
    expect([each, ...(await namesOf(LanguageModel.create(each), LanguageModel.availability(each)))]).toEqual([
      each,
      name,
      name,
    ]);
  const inputs: [string, unknown, object?][] = [
    ['TypeError', [{ role: 'wizard', content: 'x' }]],
    ['TypeError', [{ content: 'x' }]],
    ['TypeError', [user([{ type: 'smell', value: 'x' }])]],
    ['TypeError', [user([text(5)])]],
    ['TypeError', [user('x'), { role: 'system', content: 'x' }]],
    ['TypeError', 'x', { omitResponseConstraintInput: true }],
    ['TypeError', 'x', { responseConstraint: 'x' }],
    ['TypeError', 'x', { responseConstraint: true }],
    ['SyntaxError', [{ role: 'assistant', content: 'x', prefix: true }, user('x')]],
    ['SyntaxError', [{ role: 'user', content: 'x', prefix: true }]],
    ['NotSupportedError', [user([{ type: 'image', value: new Blob() }])]],
    ['NotSupportedError', [user([{ type: 'audio', value: new Blob() }])]],
    ['NotSupportedError', [{ role: 'assistant', content: [{ type: 'image', value: new Blob() }] }]],
  ];
  for (const [name, input, more] of inputs) {
    const calls = [chat.prompt(input, more), chat.measureContextUsage(input, more)];
    if (!more) calls.push(chat.append(input), LanguageModel.create({ initialPrompts: input }));
    expect([input, ...(await namesOf(...calls))]).toEqual([input, ...calls.map(() => name)]);
    expect(() => chat.promptStreaming(input, more)).toThrow(expect.objectContaining({ name }));
  }
  await chat.append('x').catch(() => {});
  expect(await failureOf(chat.append([{ role: 'system', content: 'late' }]))).toMatchObject({ name: 'TypeError' });
  expect(await failureOf(chat.prompt())).toMatchObject({ name: 'TypeError' });
  const asked = service.sent.slice(before).filter(({ path }) => path !== '/responses/input_tokens');
  expect(asked).toEqual([]);

  for (const [input, said] of [
    [42, '42'],
    [null, 'null'],
    [{}, '[object Object]'],
  ] as const) {
    const fresh = await LanguageModel.create();
    await fresh.prompt(input);
    expect(service.sent.findLast(({ path }) => path === '/chat/completions')!.body.messages).toEqual([user(said)]);
  }
});
