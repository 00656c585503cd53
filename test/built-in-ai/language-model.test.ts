import { beforeAll, describe, expect, it } from 'vitest';
import {
  collect,
  failureOf,
  install,
  openInference,
  replying,
  sentTo,
  tinyChatEntry,
} from './support/open-inference.js';

const TINY = { models: [tinyChatEntry] };
const QUESTION = 'What is the capital of France?';

async function session(options: object = {}, service: Parameters<typeof openInference>[0] = {}) {
  const open = await openInference(service);
  const { window } = await install(open);
  return { open, LanguageModel: window['LanguageModel'], chat: await window['LanguageModel'].create(options) };
}

describe('a conversation', () => {
  it('[J08] keeps input and answer in the order of the calls, and nothing of a call that fails', async () => {
    const { open, chat } = await session(
      { initialPrompts: [{ role: 'system', content: 'Be short.' }] },
      replying(
        { match: 'one', text: 'First.' },
        { match: 'two', text: 'Second.' },
        { match: 'broken', error: { status: 500 } },
        { text: 'Other.' },
      ),
    );
    const parts = [
      { type: 'text', value: 't' },
      { type: 'text', value: 'wo' },
    ];
    const answers = [chat.prompt('one'), chat.append('Aside.'), chat.prompt([{ role: 'user', content: parts }])];
    expect(await Promise.all(answers)).toEqual(['First.', undefined, 'Second.']);
    const said = [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'First.' },
      { role: 'user', content: 'Aside.' },
      { role: 'user', content: 'two' },
    ];
    expect(sentTo(open, '/chat/completions').at(-1).messages).toEqual(said);
    const usage = chat.contextUsage;
    const stopped = new AbortController();
    const aborted = chat.prompt('Go on.', { signal: stopped.signal });
    stopped.abort();
    await failureOf(aborted);
    await failureOf(chat.prompt('broken'));
    expect(chat.contextUsage).toBe(usage);
    await chat.prompt('three');
    expect(sentTo(open, '/chat/completions').at(-1).messages).toEqual([
      ...said,
      { role: 'assistant', content: 'Second.' },
      { role: 'user', content: 'three' },
    ]);
  });

  it('[J09] is measured in tokens that add up to those of its prompt', async () => {
    const { open, chat, LanguageModel } = await session({}, TINY);
    expect(chat.contextUsage).toBe(0);
    const one = await chat.measureContextUsage(QUESTION);
    expect(one).toBeGreaterThan(0);
    expect(await chat.measureContextUsage(QUESTION)).toBe(one);
    await chat.append(QUESTION);
    expect(chat.contextUsage).toBe(one);
    const answer = await chat.prompt(QUESTION);
    expect(chat.contextUsage).toBe(2 * one + (await chat.measureContextUsage(answer)));

    const { model, messages } = sentTo(open, '/chat/completions').at(-1);
    const again = await open.inference.fetch('https://app.test/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages }),
    });
    const { usage } = (await again.json()) as { usage: { total_tokens: number } };
    expect(Math.abs(chat.contextUsage - usage.total_tokens)).toBeLessThanOrEqual(16);

    const initialPrompts = [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'Hi!' },
      { role: 'assistant', content: 'Hello!' },
    ];
    const begun = await LanguageModel.create({ initialPrompts });
    expect(begun.contextUsage).toBe(await chat.measureContextUsage(initialPrompts));

    expect(chat.contextWindow).toBeGreaterThanOrEqual(2048 - 64);
    expect(chat.contextWindow).toBeLessThan(2048);
    const long = 'word '.repeat(5_000);
    expect(await chat.measureContextUsage(long)).toBeGreaterThan(4_500);

    const schema = { responseConstraint: { type: 'object', properties: { name: { type: 'string' } } } };
    expect(await chat.measureContextUsage(QUESTION, schema)).toBeGreaterThan(one);
    expect(await chat.measureContextUsage(QUESTION, { ...schema, omitResponseConstraintInput: true })).toBe(one);
  });

  it('is served when it fills the window to the last token', async () => {
    const small = { ...replying({ text: 'Yes.' }).models[0]!, contextLength: 200 };
    const { chat } = await session({}, { models: [small] });
    const few = (await chat.measureContextUsage('word '.repeat(9))) as number;
    const text = 'word '.repeat(9 + chat.contextWindow - few);
    expect(await chat.measureContextUsage(text)).toBe(chat.contextWindow);
    expect(await chat.prompt(text)).toBe('Yes.');
  });

  it('[J10] loses its oldest turns with an event, and refuses what does not fit alone', async () => {
    const { open, chat, LanguageModel } = await session(
      { initialPrompts: [{ role: 'system', content: 'Be short.' }] },
      { models: [{ ...replying({ text: 'Yes.' }).models[0]!, contextLength: 200 }] },
    );
    const heard: string[] = [];
    chat.addEventListener('contextoverflow', () => heard.push('listener'));
    chat.oncontextoverflow = ({ type, target }: Event) => heard.push(`${type} ${target === chat}`);
    let turns = 0;
    while (heard.length === 0 && turns < 40) await chat.prompt(`Question ${turns++}: ${'word '.repeat(20)}`);
    expect(heard).toEqual(['contextoverflow true', 'listener']);
    expect(chat.contextUsage).toBeLessThanOrEqual(chat.contextWindow);
    await chat.prompt(`Question ${turns++}: word`);
    const { messages } = sentTo(open, '/chat/completions').at(-1);
    expect(messages[0]).toEqual({ role: 'system', content: 'Be short.' });
    expect(JSON.stringify(messages)).not.toContain('Question 0');
    expect(messages.at(-1).content).toContain(`Question ${turns - 1}`);

    const usage = chat.contextUsage;
    const long = 'word '.repeat(300);
    const measured = await chat.measureContextUsage(long);
    for (const call of [() => chat.prompt(long), () => chat.append(long)]) {
      const refused = await failureOf(call());
      expect(refused).toMatchObject({ name: 'QuotaExceededError', quota: chat.contextWindow });
      expect(refused.requested).toBeGreaterThanOrEqual(measured);
    }
    expect(chat.contextUsage).toBe(usage);
    const create = LanguageModel.create({ initialPrompts: [{ role: 'user', content: long }] });
    expect(await failureOf(create)).toMatchObject({ name: 'QuotaExceededError', quota: chat.contextWindow });
  });

  it('goes on with what the assistant is said to have begun', async () => {
    const { open, chat } = await session({}, TINY);
    const whole = await chat.prompt(QUESTION);
    const begun = whole.slice(0, whole.indexOf(' capital'));
    const fresh = await (globalThis as any).LanguageModel.create();
    const prompt = [
      { role: 'user', content: QUESTION },
      { role: 'assistant', content: begun, prefix: true },
    ];
    expect(begun + (await fresh.prompt(prompt))).toBe(whole);
    expect(sentTo(open, '/chat/completions').at(-1).continue_final_message).toBe(true);
    await fresh.prompt('And of Spain?');
    expect(sentTo(open, '/chat/completions').at(-1).messages.slice(0, 2)).toEqual([
      { role: 'user', content: QUESTION },
      { role: 'assistant', content: whole },
    ]);
  });
});

describe('streams, signals and ends', () => {
  const SLOW = {
    models: [
      {
        ...replying({ match: 'slow', text: 'w '.repeat(500) }, { text: 'Quick.' }).models[0]!,
        script: {
          replies: [
            { match: 'slow', text: 'w '.repeat(500) },
            { text: 'Quick.', tokenDelayMs: 0 },
          ],
          tokenDelayMs: 20,
        },
      },
    ],
  };
  const reason = new Error('My reason.');

  it('[J11] stream pieces as they are made; cancelling, leaving and aborting end the generation', async () => {
    const { open, chat } = await session({}, SLOW);
    expect((await collect(chat.promptStreaming('Hello'))).join('')).toBe('Quick.');
    expect((await collect(chat.promptStreaming('Hello'))).length).toBeGreaterThan(1);
    const lastSignal = () => open.sent.findLast(({ path }) => path === '/chat/completions')!.signal;

    const reader = chat.promptStreaming('slow').getReader();
    await reader.read();
    await reader.cancel();
    await expect.poll(() => lastSignal().aborted).toBe(true);

    for await (const piece of chat.promptStreaming('slow')) {
      expect(piece).toContain('w');
      break;
    }
    await expect.poll(() => lastSignal().aborted).toBe(true);

    const stop = new AbortController();
    const stream = chat.promptStreaming('slow', { signal: stop.signal });
    const read = stream.getReader();
    await read.read();
    stop.abort(reason);
    expect(await failureOf(read.closed)).toBe(reason);
    await expect.poll(() => lastSignal().aborted).toBe(true);

    const { signal } = stop;
    expect(() => chat.promptStreaming('Hello', { signal })).toThrow(reason);
    for (const call of ['prompt', 'append', 'measureContextUsage'])
      expect(await failureOf(chat[call]('Hello', { signal }))).toBe(reason);
    expect(await failureOf(chat.clone({ signal }))).toBe(reason);
    expect(await chat.prompt('Hello')).toBe('Quick.');
  });

  it('[J12] destroy ends what is under way and what comes, and clones are sessions of their own', async () => {
    const { open, chat, LanguageModel } = await session({}, SLOW);
    await chat.prompt('Hello');
    const clone = await chat.clone();
    expect(clone).toBeInstanceOf(LanguageModel);
    expect(clone.contextUsage).toBe(chat.contextUsage);
    await clone.append('Only for the clone.');
    expect(clone.contextUsage).toBeGreaterThan(chat.contextUsage);

    const running = [chat.prompt('slow'), chat.append('Aside.')].map(failureOf);
    const stream = failureOf(collect(chat.promptStreaming('slow')));
    await expect.poll(() => sentTo(open, '/chat/completions').length).toBe(2);
    chat.destroy();
    const after = ['prompt', 'append', 'measureContextUsage', 'clone'].map((name) =>
      failureOf(chat[name](name === 'clone' ? {} : 'Hello')),
    );
    expect(() => chat.promptStreaming('Hello')).toThrow(expect.objectContaining({ name: 'AbortError' }));
    for (const failure of await Promise.all([...running, stream, ...after]))
      expect(failure).toMatchObject({ name: 'AbortError' });
    expect(open.sent.findLast(({ path }) => path === '/chat/completions')!.signal.aborted).toBe(true);
    expect(await clone.prompt('Hello')).toBe('Quick.');

    const stop = new AbortController();
    const living = await LanguageModel.create({ signal: stop.signal });
    const late = failureOf(living.prompt('slow'));
    stop.abort(reason);
    expect(await late).toBe(reason);
    expect(await failureOf(living.prompt('Hello'))).toBe(reason);
  });
});

describe('sampling', () => {
  let fields: (options: object) => Promise<object>;
  let LanguageModel: any;
  beforeAll(() => {
    fields = async (options) => {
      const { open, chat, LanguageModel: installed } = await session(options);
      LanguageModel = installed;
      await chat.prompt('Hello');
      const { model, messages, stream, ...rest } = sentTo(open, '/chat/completions')[0];
      expect([model, messages.length, stream]).toEqual(['scripted-chat', 1, true]);
      return { ...rest, told: [chat.samplingMode, chat.temperature, chat.topK] };
    };
  });

  it('[J18] modes are temperatures, numbers go as they are, and earlier names work', async () => {
    expect(await fields({})).toEqual({ told: [null, 0, 1] });
    expect(await fields({ samplingMode: 'most-predictable' })).toEqual({
      temperature: 0,
      told: ['most-predictable', null, null],
    });
    const temperatures = { predictable: 0.3, balanced: 0.7, creative: 1, 'most-creative': 1.3 };
    for (const [samplingMode, temperature] of Object.entries(temperatures))
      expect(await fields({ samplingMode })).toEqual({ temperature, told: [samplingMode, null, null] });
    expect(await fields({ temperature: 0.4 })).toEqual({ temperature: 0.4, told: [null, 0.4, null] });
    expect(await fields({ topK: 5 })).toEqual({ top_k: 5, told: [null, null, 5] });
    expect(await fields({ topK: 500, temperature: 9 })).toEqual({ top_k: 128, temperature: 2, told: [null, 2, 128] });
    expect(await LanguageModel.params()).toEqual({
      defaultTopK: 1,
      maxTopK: 128,
      defaultTemperature: 0,
      maxTemperature: 2,
    });
    const chat = await LanguageModel.create();
    expect(await chat.measureInputUsage('Hello')).toBe(await chat.measureContextUsage('Hello'));
    await chat.append('Hello');
    expect(chat.inputUsage).toBe(chat.contextUsage);
    expect(chat.inputQuota).toBe(chat.contextWindow);
    const heard: string[] = [];
    chat.onquotaoverflow = ({ type }: Event) => heard.push(type);
    chat.addEventListener('quotaoverflow', ({ type }: Event) => heard.push(type));
    while (heard.length === 0) await chat.append('word '.repeat(1_000));
    expect(heard).toEqual(['contextoverflow', 'quotaoverflow']);
  });
});
