import { describe, expect, it, vi } from 'vitest';
import { scriptedBackend } from '../../../src/engines/scripted/scripted-backend.js';
import type { CollectedGeneration } from '../../../src/service/answer/collect-generation.js';
import type { LoadedModel } from '../../../src/core/models/backend.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import type { Script } from '../../../src/core/models/script.js';
import { isInferenceError } from '../../../src/core/errors/inference-error.js';
import type { TranscriptEvent } from '../../../src/core/request/transcription-request.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import { collectAnswer, collectEvents, interpret, piecesOf, saidBy } from '../../support/token-events.js';

const options = {
  onProgress: () => {},
  signal: new AbortController().signal,
  assetsURL: 'http://localhost/assets/',
  pageURL: 'http://localhost/',
};

function load(script: Script, entry: Partial<ModelEntry> = {}): Promise<LoadedModel> {
  return scriptedBackend.load({ id: 'script', task: 'chat', backend: 'scripted', script, ...entry }, options);
}

function ask(text: string, overrides: Partial<GenerationRequest> = {}): GenerationRequest {
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }];
  return { ...plainGenerationRequest('script', { type: 'chat', messages }), ...overrides };
}

async function answer(model: LoadedModel, request: GenerationRequest): Promise<CollectedGeneration> {
  const tokens = model.generate!(request, new AbortController().signal);
  return collectAnswer(interpret(tokens, request));
}

const weather = { name: 'get_weather', parameters: { type: 'object' } };

async function tokensOf(model: LoadedModel, request: GenerationRequest, signal = new AbortController().signal) {
  return piecesOf(await collectEvents(model.generate!(request, signal)));
}

describe('scripted chat', () => {
  it('says the first reply that matches, else the first without match', async () => {
    const model = await load({
      replies: [{ match: 'cat', text: 'Meow.' }, { text: 'Hello there!' }, { text: 'never' }],
    });
    expect((await answer(model, ask('a cat?'))).choices[0]).toMatchObject({ text: 'Meow.', reason: 'stop' });
    expect((await answer(model, ask('a dog?'))).choices[0]!.text).toBe('Hello there!');
  });

  it('fails a request that no reply matches, and names the most similar ones', async () => {
    const matches = ['a boat', 'the weather in Ulm', 'cat', 'weather', 'x'.repeat(100)];
    const picky = await load({ replies: matches.map((match) => ({ match, text: 'yes' })) });
    await expect(answer(picky, ask('What is the wether in Bonn?'))).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/: "the weather in Ulm" \(.*?\), "weather" \(.*?\), "(a boat|cat)" \(.*?\)\. /),
    });
    await expect(answer(picky, ask('xxxx'))).rejects.toThrow(`"${'x'.repeat(60)}…"`);
  });

  it.each(['warn', 'empty'] as const)(
    'says nothing where no reply matches and onUnmatched is %s',
    async (onUnmatched) => {
      const warn = vi.spyOn(console, 'warn').mockReturnValue();
      const quiet = await load({ replies: [{ match: 'cat', text: 'Meow.' }], onUnmatched });
      expect((await answer(quiet, ask('a dog?'))).choices[0]).toMatchObject({ text: '', completionTokens: 0 });
      expect(warn).toHaveBeenCalledTimes(onUnmatched === 'warn' ? 1 : 0);
      warn.mockRestore();
    },
  );

  it('says nothing without replies', async () => {
    const silent = await load({ replies: [] });
    expect((await answer(silent, ask('a dog?'))).choices[0]).toMatchObject({ text: '', completionTokens: 0 });
  });

  it('reasons only when thinking is enabled', async () => {
    const model = await load({ replies: [{ reasoning: 'Two and two.', text: 'Four.' }] });
    const thinking = await answer(model, ask('2+2', { templateArguments: { enable_thinking: true } }));
    expect(thinking.choices[0]).toMatchObject({ reasoning: 'Two and two.', text: 'Four.' });
    expect(thinking.usage.reasoningTokens).toBeGreaterThan(3);
    const direct = await answer(model, ask('2+2'));
    expect(direct.choices[0]!.text).toBe('Four.');
    expect(direct.choices[0]!.reasoning).toBeUndefined();
    expect(direct.usage.reasoningTokens).toBe(0);
  });

  it.each(['hermes', 'llama3', 'mistral', 'pythonic'] as const)('calls tools in the %s syntax', async (toolFormat) => {
    const first = {
      name: 'get_weather',
      arguments: { city: 'Ulm "an der" Donau', days: [1, 2], deep: { a: null, b: true } },
    };
    const second = { name: 'get_weather', arguments: {} };
    const model = await load({ replies: [{ toolCalls: [first, second] }] }, { toolFormat });
    const { choices } = await answer(model, ask('weather', { tools: [weather] }));
    expect(choices[0]).toMatchObject({ reason: 'tool-calls', text: '' });
    const calls = choices[0]!.toolCalls.map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) }));
    expect(calls).toEqual([first, second]);
    expect(choices[0]!.failure).toBeUndefined();
  });

  it('repeats its text, in about one token per word', async () => {
    const model = await load({ replies: [{ text: 'one two three ', repeat: 50 }] });
    const { choices } = await answer(model, ask('count'));
    expect(choices[0]!.text).toBe('one two three '.repeat(50));
    expect(choices[0]!.completionTokens).toBeLessThan(220);
  });

  it('matches the last message whatever its role, and the whole of a raw prompt', async () => {
    const model = await load({ replies: [{ match: '21 degrees', text: 'Warm.' }, { text: 'What?' }] });
    const prompt = {
      type: 'chat' as const,
      messages: [
        { role: 'user' as const, content: [{ type: 'text' as const, text: 'Weather?' }] },
        { role: 'assistant' as const, content: [], toolCalls: [{ id: 'c', name: 'get_weather', arguments: '{}' }] },
        { role: 'tool' as const, toolCallId: 'c', content: [{ type: 'text' as const, text: '21 degrees' }] },
      ],
    };
    expect((await answer(model, { ...ask(''), prompt })).choices[0]!.text).toBe('Warm.');
    const raw = { type: 'raw' as const, text: 'It has 21 degrees and is' };
    expect((await answer(model, { ...ask(''), prompt: raw })).choices[0]!.text).toBe('Warm.');
    expect((await answer(model, ask('21 grad'))).choices[0]!.text).toBe('What?');
  });

  it('reasons between brackets', async () => {
    const reply = { reasoning: 'Two and two.', text: 'Four.' };
    const model = await load({ replies: [reply] }, { reasoningFormat: 'think-brackets' });
    const thinking = await answer(model, ask('2+2', { reasoning: { enabled: true } }));
    expect(thinking.choices[0]).toMatchObject(reply);
  });

  it('reasons and calls in the harmony syntax', async () => {
    const toolCalls = [{ name: 'get_weather', arguments: { city: 'Ulm' } }];
    const model = await load(
      { replies: [{ reasoning: 'Hm.', text: 'Look:', toolCalls }] },
      { reasoningFormat: 'harmony' },
    );
    const request = ask('x', { tools: [weather], reasoning: { enabled: true } });
    expect((await answer(model, request)).choices[0]).toMatchObject({
      reasoning: 'Hm.',
      text: 'Look:',
      toolCalls: [{ name: 'get_weather', arguments: '{"city":"Ulm"}' }],
      reason: 'tool-calls',
    });
  });

  it('calls nothing when no tools are offered or calls are forbidden', async () => {
    const model = await load({ replies: [{ text: 'No.', toolCalls: [{ name: 'get_weather', arguments: {} }] }] });
    const bare = await answer(model, ask('x'));
    const forbidden = await answer(model, ask('x', { tools: [weather], toolChoice: 'none' }));
    for (const { choices } of [bare, forbidden]) expect(choices[0]).toMatchObject({ text: 'No.', toolCalls: [] });
  });

  it('says at every temperature and penalty what the script says', async () => {
    const model = await load({ replies: [{ text: 'to be or not to be, that is to be the question' }] });
    for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const sampling = { temperature: 2, topP: 1, repetitionPenalty: 2, seed };
      const { choices } = await answer(model, ask('to be or not to be', { sampling }));
      expect(choices[0]!.text).toBe('to be or not to be, that is to be the question');
    }
  });

  it('counts the words of prompts, not their bytes', async () => {
    const model = await load({ replies: [] });
    const count = (text: string) => model.countTokens!(ask(text), new AbortController().signal);
    const words = await count('Donaudampfschifffahrtsgesellschaft Kapitänsmütze 你好 здравствуйте');
    expect(words - (await count(''))).toBeLessThan(10);
    expect((await count('one two')) - (await count('one'))).toBe(1);
  });

  it('breaks characters beyond the basic plane into bytes, as real vocabularies do', async () => {
    const model = await load({ replies: [{ text: 'a 😀 b' }] });
    const tokens = await tokensOf(model, ask('x'));
    expect(saidBy(tokens)).toEqual(['a', ' ', '', '', '', '😀', ' b']);
  });

  it('closes a thinking whose budget is spent, and goes on with the answer', async () => {
    const model = await load({ replies: [{ reasoning: 'so many thoughts '.repeat(20), text: 'Done.' }] });
    const { choices, usage } = await answer(model, ask('x', { reasoning: { enabled: true, budgetTokens: 8 } }));
    expect(choices[0]!.text).toBe('Done.');
    expect(usage.reasoningTokens).toBeLessThan(20);
  });

  it('caps its answers by the entry', async () => {
    const model = await load({ replies: [{ text: 'word ', repeat: 100 }] }, { maxCompletionTokens: 5 });
    expect((await answer(model, ask('x'))).choices[0]).toMatchObject({ completionTokens: 5, reason: 'length' });
  });
});

describe('scripted delays and failures', () => {
  it('a long delay ends as soon as the request is cancelled', async () => {
    const model = await load({ replies: [{ text: 'a b c' }], tokenDelayMs: 1e6 });
    const controller = new AbortController();
    const tokens = tokensOf(model, ask('x'), controller.signal);
    setTimeout(() => controller.abort(), 10);
    await expect(tokens).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('waits before each token', async () => {
    const model = await load({ replies: [{ text: 'a b c' }], tokenDelayMs: 20 });
    const before = performance.now();
    expect(await tokensOf(model, ask('x'))).toHaveLength(3);
    expect(performance.now() - before).toBeGreaterThan(50);
  });

  it('timeout: never answers, until it is cancelled', async () => {
    const model = await load({ replies: [], failWith: 'timeout' });
    const controller = new AbortController();
    let settled = false;
    const tokens = tokensOf(model, ask('x'), controller.signal).finally(() => (settled = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(settled).toBe(false);
    controller.abort();
    await expect(tokens).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('internal: throws what no code expects; unavailable: says so', async () => {
    const broken = await load({ replies: [], failWith: 'internal' });
    const gone = await load({ replies: [], failWith: 'unavailable' });
    const thrown: unknown = await tokensOf(broken, ask('x')).catch((error: unknown) => error);
    expect(isInferenceError(thrown)).toBe(false);
    await expect(tokensOf(gone, ask('x'))).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('scripted embeddings', () => {
  const embed = async (inputs: (string | number[])[], dimensions?: number) => {
    const model = await load({ replies: [] }, { task: 'embeddings' });
    const request = { model: 'script', inputs, ...(dimensions === undefined ? {} : { dimensions }) };
    return model.embed!(request, new AbortController().signal);
  };
  const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, index) => sum + value * b[index]!, 0);

  it('gives unit vectors that depend on nothing but the text', async () => {
    const { vectors, promptTokens } = await embed(['the cat sat', 'something else', 'the cat sat', [1, 2]]);
    expect(promptTokens).toBe(3 + 2 + 3 + 2);
    for (const vector of vectors) expect(dot(vector, vector)).toBeCloseTo(1, 5);
    expect(vectors[0]).toEqual(vectors[2]);
    const again = await embed(['something else', 'the cat sat']);
    expect(again.vectors[1]).toEqual(vectors[0]);
  });

  it('puts texts that share words near each other', async () => {
    const { vectors } = await embed([
      'the cat sat on a mat',
      'The cat lay on a mat',
      'stock prices fell sharply yesterday',
    ]);
    expect(dot(vectors[0]!, vectors[1]!)).toBeGreaterThan(0.5);
    expect(dot(vectors[0]!, vectors[2]!)).toBeLessThan(0.4);
  });

  it('shortens and normalises again', async () => {
    const [whole, short] = [(await embed(['a b'])).vectors[0]!, (await embed(['a b'], 8)).vectors[0]!];
    expect(short).toHaveLength(8);
    expect(dot(short, short)).toBeCloseTo(1, 5);
    expect(short[0]! / short[1]!).toBeCloseTo(whole[0]! / whole[1]!, 3);
  });

  it('refuses what it cannot embed, naming it', async () => {
    const model = await load({ replies: [] }, { task: 'embeddings', contextLength: 4 });
    const embedding = (inputs: string[], extra = {}) =>
      model.embed!({ model: 'script', inputs, ...extra }, new AbortController().signal);
    const refused = { code: 'invalid_request', param: 'input.1' };
    await expect(embedding(['ok', 'one two three four five'])).rejects.toMatchObject(refused);
    await expect(embedding(['ok', ''])).rejects.toMatchObject(refused);
    await expect(embedding(['ok'], { dimensions: 65 })).rejects.toMatchObject({ param: 'dimensions' });
  });
});

describe('scripted speech', () => {
  it('says its first reply, in pieces that join to the whole', async () => {
    const model = await load({ replies: [{ text: 'Good morning everybody.' }] }, { task: 'speech-to-text' });
    const request = {
      model: 'script',
      task: 'transcribe' as const,
      audio: { bytes: new Uint8Array(4) },
      language: 'de',
    };
    const events: TranscriptEvent[] = [];
    for await (const event of model.transcribe!(request, new AbortController().signal)) events.push(event);
    const deltas = events.filter((event) => event.type === 'delta').map(({ text }) => text);
    expect(deltas).toEqual(['Good', ' morning', ' everybody.']);
    expect(events.at(-1)).toMatchObject({ type: 'finish', text: 'Good morning everybody.', language: 'de' });
  });
});
