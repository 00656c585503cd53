import { describe, expect, it } from 'vitest';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import type { Script } from '../../../src/core/models/script.js';
import type { Message } from '../../../src/core/request/message.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import { createScriptedChat } from '../../../src/engines/scripted/scripted-chat.js';
import { collectAnswer, interpret } from '../../support/token-events.js';

type Part = Message['content'][number];

const text = (value: string): Part => ({ type: 'text', text: value });
const user = (...content: Part[]): Message => ({ role: 'user', content });
const system = (value: string): Message => ({ role: 'system', content: [text(value)] });
const called = (id: string): Message => ({
  role: 'assistant',
  content: [],
  toolCalls: [{ id, name: 'look_up', arguments: '{}' }],
});
const result = (toolCallId: string, value: string): Message => ({ role: 'tool', toolCallId, content: [text(value)] });
const said = (value: string): Message => ({ role: 'assistant', content: [text(value)], toolCalls: [] });
const image: Part = { type: 'image', mediaType: 'image/png', bytes: new Uint8Array([1]) };

function model(script: Script) {
  const entry: ModelEntry = { id: 'script', task: 'chat', backend: 'scripted', script };
  const loaded = createScriptedChat(entry);
  return async (messages: Message[], more: Partial<GenerationRequest> = {}): Promise<string> => {
    const request = { ...plainGenerationRequest('script', { type: 'chat', messages }), ...more };
    const tokens = loaded.generate!(request, new AbortController().signal);
    return (await collectAnswer(interpret(tokens, request))).choices[0]!.text;
  };
}

const LOOK_UP = { name: 'look_up', parameters: { type: 'object' } };

describe('replies of a script', () => {
  const conversation = [
    system('Be kind to Ada.'),
    user(text('old question')),
    called('c1'),
    result('c1', 'old result'),
    said('old answer'),
    user(text('What is new?')),
    called('c2'),
    result('c2', '42 degrees'),
  ];

  it.each([
    ['last', { last: '42' }, { last: 'What' }],
    ['several texts', { last: ['42', 'degrees'] }, { last: ['42', 'none'] }],
    ['any', { any: ['Ada', 'old result', 'new'] }, { any: 'young' }],
    ['system', { system: 'kind' }, { system: 'old' }],
    ['user', { user: 'new' }, { user: '42' }],
    ['toolResult', { toolResult: '42' }, { toolResult: 'old result' }],
    ['turn', { turn: 3 }, { turn: 2 }],
    ['hasToolResult', { hasToolResult: true }, { hasToolResult: false }],
    ['tool', { tool: 'look_up' }, { tool: 'look' }],
    ['images', { images: 0 }, { images: 1 }],
    ['all of them', { turn: 3, user: 'new', any: 'Ada' }, { turn: 3, user: 'new', any: 'Eve' }],
    ['no condition', {}, { last: 'nothing' }],
  ])('[Y12] match on %s', async (_, fits, fails) => {
    const ask = model({ replies: [{ match: fails, text: 'no' }, { match: fits, text: 'yes' }, { text: 'else' }] });
    expect(await ask(conversation, { tools: [LOOK_UP] })).toBe('yes');
  });

  it('[Y12] match on the state of a conversation', async () => {
    const ask = model({
      replies: [
        { match: { turn: 0 }, text: 'first' },
        { match: { turn: 1, hasToolResult: false }, text: 'second' },
        { match: { hasToolResult: true }, text: 'with a result' },
      ],
    });
    expect(await ask([user(text('a'))])).toBe('first');
    expect(await ask([user(text('a')), said('first'), user(text('b'))])).toBe('second');
    expect(await ask([user(text('a')), called('c'), result('c', 'r')])).toBe('with a result');
  });

  it('[Y12] see a raw prompt as one message of the user', async () => {
    const ask = model({ replies: [{ match: { user: 'capital', turn: 0 }, text: 'Paris' }] });
    expect(await ask([], { prompt: { type: 'raw', text: 'The capital of France is' } })).toBe('Paris');
  });

  it('[Y13] with a `match` come before those without, and answer as often as `times` says', async () => {
    const ask = model({
      replies: [
        { text: 'once', times: 1 },
        { text: 'always' },
        { match: 'cat', text: 'two cats', times: 2 },
        { match: 'a cat', text: 'more cats' },
      ],
    });
    const answers = [];
    for (let turn = 0; turn < 3; turn++) answers.push(await ask([user(text('a cat'))]));
    expect(answers).toEqual(['two cats', 'two cats', 'more cats']);
    expect(await ask([user(text('a dog'))])).toBe('once');
    expect(await ask([user(text('a dog'))])).toBe('always');
  });

  it('that do not fit are named with the condition that failed', async () => {
    const ask = model({
      replies: [
        { match: { turn: 4, user: 'new' } },
        { match: 'What is old?' },
        { match: { tool: 'search' } },
        { match: 'zzz' },
        { match: { system: 'kind' }, times: 1, text: 'once' },
      ],
    });
    expect(await ask(conversation)).toBe('once');
    const failure = await ask([...conversation, user(text(`What is new? ${'x'.repeat(300)}`))]).catch(
      (thrown: unknown) => thrown as Error,
    );
    const { message } = failure as Error;
    expect(message).toContain(`"What is new? ${'x'.repeat(187)}…"`);
    expect(message).toContain('{"system":"kind"} (has answered once already)');
    expect(message).toContain('(`turn` is 3)');
    expect(message).toContain('"What is old?" (not in the last message)');
    expect(message).not.toContain('zzz');
  });

  it('[Y15] may be errors, at once or after some tokens', async () => {
    const ask = model({
      replies: [
        { match: 'busy', error: { status: 529, retryAfter: 7 }, times: 1 },
        { match: 'busy', text: 'Now.' },
        { match: 'cut', text: 'one two three', error: { status: 500, afterTokens: 2 } },
      ],
    });
    await expect(ask([user(text('busy'))])).rejects.toMatchObject({
      code: 'unavailable',
      details: { status: 529, retryAfter: 7 },
    });
    expect(await ask([user(text('busy'))])).toBe('Now.');
    await expect(ask([user(text('cut'))])).rejects.toMatchObject({ code: 'internal' });
  });

  it('[Y15] fail after the tokens of the text, not of the thinking', async () => {
    const script: Script = {
      replies: [{ reasoning: 'Let me think of it', text: 'one two three', error: { status: 503, afterTokens: 2 } }],
    };
    const loaded = createScriptedChat({ id: 'script', task: 'chat', backend: 'scripted', script });
    const request: GenerationRequest = {
      ...plainGenerationRequest('script', { type: 'chat', messages: [user(text('go'))] }),
      reasoning: { enabled: true },
    };
    const seen: string[] = [];
    const run = async (): Promise<void> => {
      for await (const event of interpret(loaded.generate!(request, new AbortController().signal), request))
        if (event.type === 'text-delta') seen.push(event.text);
    };
    await expect(run()).rejects.toMatchObject({ code: 'unavailable' });
    expect(seen.join('')).toBe('one two');
  });

  it('[Y17] of models that take images count each as one token', async () => {
    const script: Script = { images: true, replies: [{ match: { images: 2 }, text: 'two' }, { text: 'other' }] };
    const loaded = createScriptedChat({ id: 'script', task: 'chat', backend: 'scripted', script });
    expect(loaded.info.images).toBe(true);
    const ask = model(script);
    expect(await ask([user(text('Look:'), image, image)])).toBe('two');
    expect(await ask([user(image), said('other'), user(text('And?'))])).toBe('other');
    const count = (...content: Part[]) =>
      loaded.countTokens!(
        plainGenerationRequest('script', { type: 'chat', messages: [user(text('Look:'), ...content)] }),
        new AbortController().signal,
      );
    expect(await count(image, image)).toBe((await count()) + 2);
    await expect(model({ replies: [] })([user(image)])).rejects.toMatchObject({ code: 'unsupported_content' });
  });

  it('give each token not before its time', async () => {
    const script: Script = {
      tokenDelayMs: 5,
      replies: [{ match: 'slow', text: 'a b c d', tokenDelayMs: 20, firstTokenDelayMs: 30 }, { text: 'a b c d' }],
    };
    const times = async (asked: string): Promise<number[]> => {
      const loaded = createScriptedChat({ id: 'script', task: 'chat', backend: 'scripted', script });
      const request = plainGenerationRequest('script', { type: 'chat', messages: [user(text(asked))] });
      const start = performance.now();
      const came: number[] = [];
      for await (const _ of loaded.generate!(request, new AbortController().signal))
        came.push(performance.now() - start);
      return came;
    };
    expect((await times('fast')).every((at, index) => at >= (index + 1) * 5)).toBe(true);
    expect((await times('slow')).every((at, index) => at >= 30 + (index + 1) * 20)).toBe(true);
  });
});
