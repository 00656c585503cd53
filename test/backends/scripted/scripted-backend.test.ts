import { describe, expect, it } from 'vitest';
import { scriptedBackend } from '../../../src/backends/scripted/scripted-backend.js';
import { type CollectedGeneration, collectGeneration } from '../../../src/channels/collect-generation.js';
import { createToolCallId, interpretTokens } from '../../../src/channels/interpret-tokens.js';
import type { LoadedModel } from '../../../src/backends/backend.js';
import type { ModelEntry, Script } from '../../../src/models/model-entry.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../src/request/generation-request.js';

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
  const clock = () => Date.now();
  return collectGeneration(interpretTokens(tokens, request, { clock, createId: createToolCallId, startTime: clock() }));
}

const weather = { name: 'get_weather', parameters: { type: 'object' } };

describe('scripted chat', () => {
  it('says the first reply that matches, else the first without match, else nothing', async () => {
    const model = await load({
      replies: [{ match: 'cat', text: 'Meow.' }, { text: 'Hello there!' }, { text: 'never' }],
    });
    expect((await answer(model, ask('a cat?'))).choices[0]).toMatchObject({ text: 'Meow.', reason: 'stop' });
    expect((await answer(model, ask('a dog?'))).choices[0]!.text).toBe('Hello there!');
    const picky = await load({ replies: [{ match: 'cat', text: 'Meow.' }] });
    expect((await answer(picky, ask('a dog?'))).choices[0]).toMatchObject({ text: '', completionTokens: 0 });
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

  it.each(['hermes', 'llama3', 'mistral', 'pythonic'])('calls tools in the %s syntax', async (toolFormat) => {
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
});
