import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { LoadOptions } from '../../../../src/core/models/backend.js';
import { OnnxSequence } from '../../../../src/engines/transformers/text/onnx-sequence.js';
import { loadTextModel } from '../../../../src/engines/transformers/text/load-text-model.js';
import type { TextModel } from '../../../../src/language/decoding/create-text-model.js';
import type { TokenEvent } from '../../../../src/core/events/token-event.js';
import { type LoadProgress, type ModelEntry } from '../../../../src/core/models/model-entry.js';
import type { Message } from '../../../../src/core/request/message.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../../src/core/request/generation-request.js';
import type { JsonSchema } from '../../../../src/core/request/tool.js';
import { collectEvents, logprobsOf, partsOf, piecesOf, textOf } from '../../../support/token-events.js';

const entry: ModelEntry = {
  id: 'tiny-chat',
  task: 'chat',
  backend: 'transformers',
  source: '/models/tiny-chat',
  device: 'wasm',
  dtype: 'q8',
};
const { signal } = new AbortController();
const progress: LoadProgress[] = [];

function optionsOf(): LoadOptions {
  const assetsURL = new URL('/inpage/', location.href).href;
  const onProgress = (event: LoadProgress) => void progress.push(event);
  return { onProgress, signal, assetsURL, pageURL: location.href };
}

function load(changes: Partial<ModelEntry> = {}): Promise<TextModel> {
  return loadTextModel({ ...entry, ...changes }, optionsOf());
}

function ask(text: string, changes: Partial<GenerationRequest> = {}, before: Message[] = []): GenerationRequest {
  const messages: Message[] = [...before, { role: 'user', content: [{ type: 'text', text }] }];
  return { ...plainGenerationRequest('tiny-chat', { type: 'chat', messages }), maxTokens: 60, ...changes };
}

const idsOf = (events: readonly TokenEvent[]) => piecesOf(events).map((piece) => piece.token);
const promptOf = (events: readonly TokenEvent[]) => events.find((event) => event.type === 'prompt')!;

const FRANCE = 'What is the capital of France?';
let model: TextModel;
let wasmTokens: (number | undefined)[];

beforeAll(async () => {
  model = await load();
});
afterAll(() => model.unload());

describe('tiny-chat on WASM', () => {
  it('knows the capital of France, in the same words each time', async () => {
    const first = await collectEvents(model.generate(ask(FRANCE), signal));
    wasmTokens = idsOf(first);
    expect(textOf(first)).toContain('Paris');
    expect(first.at(-1)).toMatchObject({ type: 'end', reason: 'stop' });
    for (let run = 0; run < 3; run++) {
      const again = await collectEvents(model.generate(ask(FRANCE), signal));
      expect(idsOf(again)).toEqual(wasmTokens);
      expect(promptOf(again).cachedTokens).toBe(promptOf(again).promptTokens);
    }
    await collectEvents(model.generate(ask('Hello!'), signal));
    expect(idsOf(await collectEvents(model.generate(ask(FRANCE), signal)))).toEqual(wasmTokens);
  });

  it('tells what it can', () => {
    expect(model.info).toMatchObject({
      device: 'wasm',
      contextLength: 2048,
      toolFormat: 'hermes',
      reasoningFormat: 'think-tags',
    });
  });

  it('takes 8 bits when none are named, and warns of 4', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { dtype: _, ...unnamed } = entry;
    const chosen = await loadTextModel(unnamed, optionsOf());
    expect(chosen.info).toMatchObject({ device: 'wasm', dtype: 'q8' });
    expect(chosen.info.warning).toBeUndefined();
    expect(warn).not.toHaveBeenCalled();
    await chosen.unload();
    const packed = await load({ dtype: { wasm: 'q4', webgpu: 'q4f16' } });
    expect(packed.info).toMatchObject({ dtype: 'q4', warning: expect.stringContaining('q8') as string });
    expect(warn).toHaveBeenCalledOnce();
    expect(textOf(await collectEvents(packed.generate(ask(FRANCE), signal)))).toContain('Paris');
    await packed.unload();
    warn.mockRestore();
  });

  it('reports progress from the first byte on; who keeps the model says when it is ready', () => {
    expect(progress.at(-1)?.stage).toBe('initialize');
    const weights = progress.filter(({ file }) => file === 'model_quantized.onnx');
    expect(weights.at(-1)?.loadedBytes).toBeGreaterThan(6e6);
    expect(weights.at(-1)?.loadedBytes).toBe(weights.at(-1)?.totalBytes);
  });

  it('reuses the conversation so far', async () => {
    const first = await collectEvents(model.generate(ask('Hi, who are you?'), signal));
    const before: Message[] = [
      { role: 'user', content: [{ type: 'text', text: 'Hi, who are you?' }] },
      { role: 'assistant', content: [{ type: 'text', text: textOf(first) }], toolCalls: [] },
    ];
    const second = await collectEvents(model.generate(ask(FRANCE, {}, before), signal));
    const { cachedTokens, promptTokens } = promptOf(second);
    expect(cachedTokens).toBeGreaterThanOrEqual(promptOf(first).promptTokens);
    expect(cachedTokens).toBeLessThan(promptTokens);
    expect(textOf(second)).toContain('Paris');
  });

  it('keeps several conversations: each goes on where it ended, and what they begin with is read once', async () => {
    const rules = 'Always answer in one short sentence. '.repeat(20);
    const conversations = ['What is the capital of France?', 'What is 17 + 25?'].map((question) => ({
      said: [
        { role: 'system', content: [{ type: 'text', text: rules }] },
        { role: 'user', content: [{ type: 'text', text: question }] },
      ] as Message[],
      read: 0,
    }));
    for (let turn = 0; turn < 3; turn++) {
      for (const [place, conversation] of conversations.entries()) {
        const request = ask('Why?', { maxTokens: 12 }, conversation.said);
        const events = await collectEvents(model.generate(request, signal));
        const { promptTokens, cachedTokens } = promptOf(events);
        expect(promptTokens).toBeGreaterThan(150);
        // The second conversation finds the system prompt in whole blocks.
        expect(cachedTokens).toBeGreaterThanOrEqual(turn > 0 ? conversation.read : place * 128);
        conversation.read = promptTokens;
        conversation.said.push(
          { role: 'user', content: [{ type: 'text', text: 'Why?' }] },
          { role: 'assistant', content: [{ type: 'text', text: textOf(events) }], toolCalls: [] },
        );
      }
    }
  });

  it('gives the same answer with and without reuse, also for prompts of many blocks', async () => {
    const long = `${'The quick brown fox jumps over the lazy dog. '.repeat(20)}${FRANCE}`;
    const cold = await load();
    const expected = idsOf(await collectEvents(cold.generate(ask(long), signal)));
    await cold.unload();
    await collectEvents(model.generate(ask(`${long} Why?`), signal));
    const reused = await collectEvents(model.generate(ask(long), signal));
    expect(promptOf(reused).cachedTokens).toBeGreaterThan(100);
    expect(idsOf(reused)).toEqual(expected);
  });

  it('decodes four choices together', async () => {
    const sampling = { temperature: 1, seed: 3 };
    const events = await collectEvents(
      model.generate(ask('Tell me a story.', { n: 4, sampling, maxTokens: 24 }), signal),
    );
    const texts = [0, 1, 2, 3].map((choice) => textOf(events, choice));
    expect(new Set(texts).size).toBeGreaterThan(1);
    const again = await collectEvents(
      model.generate(ask('Tell me a story.', { n: 4, sampling, maxTokens: 24 }), signal),
    );
    expect([0, 1, 2, 3].map((choice) => textOf(again, choice))).toEqual(texts);
    const greedy = await collectEvents(model.generate(ask(FRANCE, { n: 3 }), signal));
    for (const choice of [0, 1, 2]) expect(textOf(greedy, choice)).toContain('Paris');
  });

  it('stops within one token when aborted and serves the next request', async () => {
    const controller = new AbortController();
    const decode = vi.spyOn(OnnxSequence.prototype, 'decode');
    onTestFinished(() => decode.mockRestore());
    let tokens = 0;
    const run = (async () => {
      for await (const events of model.generate(ask('Tell me a long story.'), controller.signal)) {
        tokens += piecesOf(events).length;
        if (tokens === 3) controller.abort();
      }
    })();
    await expect(run).rejects.toMatchObject({ code: 'cancelled' });
    // The first token comes with the prompt, so a pass fewer than tokens is enough.
    expect(decode.mock.calls.flat(3).length).toBeLessThanOrEqual(3);
    expect(decode).toHaveBeenCalled();
    expect(textOf(await collectEvents(model.generate(ask(FRANCE), signal)))).toContain('Paris');
  });

  it('gives exact log-probabilities', async () => {
    const events = await collectEvents(model.generate(ask(FRANCE, { topLogprobs: 5 }), signal));
    expect(idsOf(events)).toEqual(wasmTokens);
    expect(logprobsOf(events)).toHaveLength(wasmTokens.length);
    for (const { logprob, top } of logprobsOf(events)) {
      expect(logprob).toBeLessThanOrEqual(0);
      expect(top[0]!.logprob).toBe(logprob);
      const probability = top.reduce((sum, other) => sum + Math.exp(other.logprob), 0);
      expect(probability).toBeLessThanOrEqual(1.0001);
    }
  });

  it('thinks when asked to', async () => {
    const events = await collectEvents(
      model.generate(ask('What is 12 + 7?', { reasoning: { enabled: true } }), signal),
    );
    expect(partsOf(events)[0]?.type).toBe('reasoning');
    expect(textOf(events)).not.toBe('');
  });
});

describe('several requests at a time on tiny-chat', () => {
  const questions = [FRANCE, 'Hi, who are you?', `${'The sky is blue today. '.repeat(30)}What is 17 + 25?`];
  const seeds = [undefined, 3, undefined];
  const request = (place: number): GenerationRequest => {
    const seed = seeds[place];
    return ask(questions[place]!, { maxTokens: 24, ...(seed !== undefined && { sampling: { temperature: 1, seed } }) });
  };

  it('writes for each what it writes alone, whatever their lengths', async () => {
    expect(model.info.concurrency).toBe(32);
    const alone: (number | undefined)[][] = [];
    for (const place of [0, 1, 2]) alone.push(idsOf(await collectEvents(model.generate(request(place), signal))));
    const together = await Promise.all([0, 1, 2].map((place) => collectEvents(model.generate(request(place), signal))));
    expect(together.map(idsOf)).toEqual(alone);
  });

  it('lets one that comes later begin before the others end, and one that is cancelled go', async () => {
    const controller = new AbortController();
    const order: string[] = [];
    const long = ask('Tell me a long story.', { maxTokens: 60, sampling: { logitBias: { 0: -100, 2: -100 } } });
    const follow = async (name: string, steps: AsyncIterable<TokenEvent[]>, onToken: (count: number) => void) => {
      let count = 0;
      for await (const events of steps) {
        if (piecesOf(events).length === 0) continue;
        count += 1;
        if (count === 1) order.push(`${name} begins`);
        onToken(count);
      }
      order.push(`${name} ends`);
    };
    let later: Promise<void> | undefined;
    const first = follow('first', model.generate(long, signal), (count) => {
      if (count === 3) later = follow('later', model.generate(request(2), signal), () => {});
    });
    const cancelled = follow('cancelled', model.generate(request(1), controller.signal), () => controller.abort());
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
    await first;
    await later;
    expect(order.indexOf('later begins')).toBeLessThan(order.indexOf('first ends'));
    expect(textOf(await collectEvents(model.generate(ask(FRANCE), signal)))).toContain('Paris');
  });

  it('keeps each grammar to its own', async () => {
    const output = (schema: JsonSchema) => ({ type: 'json-schema', name: 'x', schema, strict: true }) as const;
    const city = { type: 'object', properties: { city: { type: 'string', maxLength: 9 } }, required: ['city'] };
    const sum = { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] };
    const [first, second, free] = await Promise.all([
      collectEvents(model.generate(ask(FRANCE, { output: output({ ...city, additionalProperties: false }) }), signal)),
      collectEvents(model.generate(ask('1 + 1?', { output: output({ ...sum, additionalProperties: false }) }), signal)),
      collectEvents(model.generate(ask(FRANCE), signal)),
    ]);
    expect(JSON.parse(textOf(first))).toMatchObject({ city: expect.any(String) as string });
    expect(JSON.parse(textOf(second))).toMatchObject({ sum: expect.any(Number) as number });
    expect(textOf(free)).toContain('Paris');
  });
});

describe('speculative decoding on tiny-chat', () => {
  it('writes what it writes without drafts, greedily and by a seed', async () => {
    const text = 'Anna lives in Oslo and has two cats. ';
    const prompts = [
      FRANCE,
      `Repeat: ${text.repeat(3)}`,
      `${text}${text}${text}Where does Anna live?`,
      'Count to ten.',
    ];
    for (const prompt of prompts) {
      for (const sampling of [{}, { temperature: 1, seed: 11 }]) {
        const request = ask(prompt, { sampling });
        const speculated = await collectEvents(model.generate(request, signal));
        // With a second answer in the batch nothing is drafted.
        const [first] = [await collectEvents(model.generate({ ...request, n: 2 }, signal))];
        expect(idsOf(first.filter((event) => !('choice' in event) || event.choice === 0))).toEqual(idsOf(speculated));
      }
    }
  });
});

describe('grammars on tiny-chat', () => {
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string', maxLength: 12 },
      country: { enum: ['France', 'Spain'] },
      inhabitants: { type: 'integer' },
    },
    required: ['city', 'country', 'inhabitants'],
    additionalProperties: false,
  };

  it('writes JSON by a schema, at any temperature', async () => {
    const output = { type: 'json-schema', name: 'city', schema, strict: true } as const;
    for (const temperature of [0, 1, 2]) {
      const sampling = { temperature, seed: 5 };
      const events = await collectEvents(model.generate(ask(FRANCE, { output, sampling, maxTokens: 200 }), signal));
      const value = JSON.parse(textOf(events)) as Record<string, unknown>;
      expect(Object.keys(value)).toEqual(['city', 'country', 'inhabitants']);
      expect(['France', 'Spain']).toContain(value['country']);
      expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'stop' });
    }
  });

  it('holds in every row of a batch', async () => {
    const output = { type: 'json-schema', name: 'city', schema, strict: true } as const;
    const sampling = { temperature: 1, seed: 5 };
    const events = await collectEvents(model.generate(ask(FRANCE, { output, sampling, n: 3, maxTokens: 200 }), signal));
    for (const choice of [0, 1, 2]) expect(() => JSON.parse(textOf(events, choice)) as unknown).not.toThrow();
  });

  it('refuses a schema that is none', async () => {
    const output = { type: 'json-schema', name: 'bad', schema: { type: 'objet' }, strict: true } as const;
    await expect(collectEvents(model.generate(ask(FRANCE, { output }), signal))).rejects.toMatchObject({
      code: 'invalid_request',
    });
    expect(textOf(await collectEvents(model.generate(ask(FRANCE), signal)))).toContain('Paris');
  });

  it('calls a required tool', async () => {
    const tools = [
      {
        name: 'get_weather',
        description: 'Weather of a city',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    ];
    const events = await collectEvents(
      model.generate(ask('What is the weather in Rome?', { tools, toolChoice: 'required', maxTokens: 120 }), signal),
    );
    expect(partsOf(events)[0]).toEqual({ type: 'tool-call-start', name: 'get_weather' });
    expect(partsOf(events).at(-1)).toEqual({ type: 'tool-call-end' });
  });
});
