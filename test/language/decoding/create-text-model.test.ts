import { describe, expect, it } from 'vitest';
import { createTextModel, type TextModelOptions } from '../../../src/language/decoding/create-text-model.js';
import { InferenceError, isInferenceError } from '../../../src/core/errors/inference-error.js';
import type { TokenEvent } from '../../../src/core/events/token-event.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import {
  collectEvents as collect,
  endOf,
  logprobsOf,
  partsOf,
  piecesOf as tokensOf,
  saidBy,
  textOf,
} from '../../support/token-events.js';
import { byteTokenizer, END, type FakeEngineOptions, fakeTextEngine, idOf } from './fake-text-engine.js';

const options: TextModelOptions = {
  info: { device: 'none', threads: 1 },
  unload: async () => {},
};

function request(changes: Partial<GenerationRequest> = {}): GenerationRequest {
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];
  return { ...plainGenerationRequest('fake', { type: 'chat', messages }), ...changes };
}

function modelOf(engine: FakeEngineOptions = {}, changes: Partial<TextModelOptions> = {}) {
  const fake = fakeTextEngine(engine);
  return { fake, model: createTextModel(fake, { ...options, ...changes }) };
}

const signal = new AbortController().signal;

describe('a generation', () => {
  it('begins with the prompt, gives one event per token, ends at the end token', async () => {
    const { model, fake } = modelOf({ text: 'Hello' });
    const events = await collect(model.generate(request(), signal));
    expect(events[0]).toMatchObject({ type: 'prompt', cachedTokens: 0 });
    expect(textOf(events)).toBe('Hello');
    expect(tokensOf(events)).toHaveLength(5);
    expect(endOf(events)).toEqual({
      type: 'end',
      choice: 0,
      reason: 'stop',
      parts: [],
      rawOutput: 'Hello',
      cutBeforeCall: false,
    });
    expect(fake.closeCount).toBe(1);
    expect(await model.countTokens(request(), signal)).toBe((events[0] as { promptTokens: number }).promptTokens);
  });

  it.each(['generate', 'countTokens'] as const)('%s refuses megabytes by their beginning', async (method) => {
    let encoded = 0;
    const tokenizer = {
      ...byteTokenizer,
      encodeText: (text: string) => {
        encoded += text.length;
        return byteTokenizer.encodeText(text);
      },
    };
    const { model } = modelOf({ tokenizer, contextLength: 1_000 });
    const words = 'word '.repeat(2_000_000);
    const message = { role: 'user' as const, content: [{ type: 'text' as const, text: words }] };
    for (const huge of [
      request({ prompt: { type: 'chat', messages: [message] } }),
      request({ prompt: { type: 'raw', text: words } }),
      request({ tools: [{ name: 'f', description: words }] }),
    ]) {
      encoded = 0;
      const answer = method === 'generate' ? collect(model.generate(huge, signal)) : model.countTokens(huge, signal);
      await expect(answer).rejects.toMatchObject({ code: 'context_length_exceeded', param: 'messages' });
      expect(encoded).toBeLessThan(20_000);
    }
  });

  it('joins characters that span tokens', async () => {
    const { model } = modelOf({ text: 'a😀é' });
    const events = await collect(model.generate(request(), signal));
    expect(saidBy(tokensOf(events))).toEqual(['a', '', '', '', '😀', '', 'é']);
  });

  it('[C34] ends before a stop sequence that spans tokens and names it', async () => {
    const { model } = modelOf({ text: 'one two three' });
    const events = await collect(model.generate(request({ stop: ['o th', 'zzz'] }), signal));
    expect(textOf(events)).toBe('one tw');
    expect(endOf(events)).toMatchObject({ reason: 'stop', stopSequence: 'o th' });
  });

  it('gives out held back text when the model ends first', async () => {
    const { model } = modelOf({ text: 'one two' });
    const events = await collect(model.generate(request({ stop: ['two three'] }), signal));
    expect(textOf(events)).toBe('one two');
    expect(endOf(events)).toMatchObject({ reason: 'stop', parts: [{ type: 'text', text: 'two' }] });
  });

  it('[C18] ends at the cap of the request', async () => {
    const { model, fake } = modelOf({ text: 'Hello' });
    const events = await collect(model.generate(request({ maxTokens: 3 }), signal));
    expect(textOf(events)).toBe('Hel');
    expect(endOf(events)).toMatchObject({ reason: 'length' });
    // The last token is not read: nothing comes after it.
    expect(fake.decodes).toHaveLength(2);
  });

  it('[C21] ends at the cap of the model', async () => {
    const { model } = modelOf({ text: 'Hello' }, { maxCompletionTokens: 2 });
    const events = await collect(model.generate(request({ maxTokens: 100 }), signal));
    expect(textOf(events)).toBe('He');
    expect(endOf(events)).toMatchObject({ reason: 'length' });
  });

  it('[C22] refuses a prompt longer than the context and names both numbers', async () => {
    const { model, fake } = modelOf({ contextLength: 15 });
    const failure = await collect(model.generate(request(), signal)).catch((error: unknown) => error);
    expect(isInferenceError(failure) && failure.code).toBe('context_length_exceeded');
    expect((failure as Error).message).toMatch(/\b15\b.*\b\d\d tokens/);
    expect(fake.openCount).toBe(0);
  });

  it('[C23] shortens a cap that does not fit the context', async () => {
    const promptTokens = await modelOf().model.countTokens(request(), signal);
    const { model } = modelOf({ text: 'Hello', contextLength: promptTokens + 2 });
    const events = await collect(model.generate(request({ maxTokens: 100 }), signal));
    expect(textOf(events)).toBe('He');
    expect(endOf(events)).toMatchObject({ reason: 'length' });
    const full = modelOf({ contextLength: promptTokens }).model;
    const none = await collect(full.generate(request({ n: 2 }), signal));
    expect(none.map((event) => event.type)).toEqual(['prompt', 'end', 'end']);
  });

  it('can run again after a generation that failed', async () => {
    let fails = true;
    const { model } = modelOf({
      logits: (_, logits) => {
        if (fails) throw new Error('broken');
        logits[END] = 10;
      },
    });
    await expect(collect(model.generate(request(), signal))).rejects.toThrow('broken');
    fails = false;
    expect(await collect(model.generate(request(), signal))).toHaveLength(2);
  });
});

describe('several choices', () => {
  const randomLetters = (_: readonly number[], logits: Float32Array): void => {
    for (let letter = 97; letter < 123; letter++) logits[letter] = 5;
    logits[END] = 5;
  };

  it('decode together, each with its own random numbers, ended rows not counted', async () => {
    const { model, fake } = modelOf({ maxRows: 8, logits: randomLetters });
    const sampling = { temperature: 1, seed: 7 };
    const events = await collect(model.generate(request({ n: 5, sampling, maxTokens: 30 }), signal));
    const texts = [0, 1, 2, 3, 4].map((choice) => textOf(events, choice));
    expect(new Set(texts).size).toBe(5);
    expect(events.filter((event) => event.type === 'end')).toHaveLength(5);
    expect(fake.openCount).toBe(1);
    const longest = Math.max(...texts.map((text) => text.length));
    expect(fake.decodes.length).toBeLessThanOrEqual(longest);
    expect(fake.decodes.every((tokens) => tokens.length === 5 && tokens.every((row) => row.length === 1))).toBe(true);
    expect(tokensOf(events)).toHaveLength(texts.reduce((sum, text) => sum + text.length, 0));
  });

  it('are the same whether the engine has rows for them or not', async () => {
    const sampling = { temperature: 1, seed: 7 };
    const ask = (maxRows: number) =>
      collect(
        modelOf({ maxRows, logits: randomLetters }).model.generate(request({ n: 3, sampling, maxTokens: 20 }), signal),
      );
    const [together, apart, pairs] = await Promise.all([ask(3), ask(1), ask(2)]);
    for (const choice of [0, 1, 2]) {
      expect(textOf(apart, choice)).toBe(textOf(together, choice));
      expect(textOf(pairs, choice)).toBe(textOf(together, choice));
    }
    expect(apart.filter((event) => event.type === 'prompt')).toHaveLength(1);
  });
});

describe('the greatest logits', () => {
  const logits = (tokens: readonly number[], into: Float32Array): void => {
    for (let letter = 97; letter < 123; letter++) into[letter] = ((letter * 31 + tokens.length * 17) % 12) / 4;
  };

  it.each([{}, { temperature: 1, topK: 5, seed: 3 }, { temperature: 1.5, topK: 12, topP: 0.8, seed: 4 }])(
    'are enough for the very answer that all of them give, with %o',
    async (sampling) => {
      for (const changes of [{}, { n: 3 }]) {
        const asked = request({ maxTokens: 30, sampling, ...changes });
        const [all, greatest] = [modelOf({ logits }), modelOf({ logits, picks: true, speculates: true })];
        const expected = await collect(all.model.generate(asked, signal));
        expect(await collect(greatest.model.generate(asked, signal))).toEqual(expected);
        expect(greatest.fake.needs[0]).toMatchObject({ type: 'greatest', count: (sampling.topK ?? 0) + 1 });
      }
    },
  );

  it.each([{ temperature: 1 }, { temperature: 1.5, topP: 0.8 }, { temperature: 2, minP: 0.2 }])(
    'are not even read where the engine draws, which says the very same with %o, drafts and several choices too',
    async (settings) => {
      const sampling = { ...settings, seed: 12 };
      const begun = [[], [97, 98, 99], [97]].map((tokens) => ({ tokens, ended: false }));
      for (const changes of [{}, { n: 3 }, { n: 3, begun }]) {
        const asked = request({ maxTokens: 30, sampling, ...changes });
        const drawing = modelOf({ logits, picks: true, speculates: true, maxRows: 2 });
        const expected = await collect(modelOf({ logits, maxRows: 2 }).model.generate(asked, signal));
        expect(await collect(drawing.model.generate(asked, signal))).toEqual(expected);
        expect(drawing.fake.needs[0]).toMatchObject({ type: 'sample', seeded: true });
        const spoken = await collect(drawing.model.generate({ ...asked, topLogprobs: 0 }, signal));
        expect(textOf(spoken)).toBe(textOf(expected));
        expect(drawing.fake.needs.at(-1)).toEqual({ type: 'all' });
      }
    },
  );

  it('are not enough for log-probabilities', async () => {
    const { model, fake } = modelOf({ picks: true });
    await collect(model.generate(request({ topLogprobs: 0 }), signal));
    expect(fake.needs).toEqual([{ type: 'all' }]);
  });
});

describe('log-probabilities', () => {
  it('are exact, sorted, and count bias but not temperature', async () => {
    const { model } = modelOf({
      logits: (_, logits) => {
        logits.fill(-Infinity);
        logits[65] = Math.log(0.5);
        logits[66] = Math.log(0.3);
        logits[67] = Math.log(0.2);
      },
    });
    const sampling = { temperature: 2, seed: 1, topK: 1, logitBias: { 66: Math.log(3) } };
    const events = await collect(model.generate(request({ topLogprobs: 2, sampling, maxTokens: 1 }), signal));
    const logprob = logprobsOf(events)[0];
    expect(logprob).toMatchObject({ token: 'B', bytes: [66] });
    expect(logprob!.logprob).toBeCloseTo(Math.log(0.9 / 1.6), 5);
    expect(logprob!.top.map(({ token }) => token)).toEqual(['B', 'A']);
    expect(logprob!.top[1]!.logprob).toBeCloseTo(Math.log(0.5 / 1.6), 5);
  });
});

describe('reasoning', () => {
  it('knows when the template opened the think block', async () => {
    const { model } = modelOf();
    const events = await collect(model.generate(request({ reasoning: { enabled: true } }), signal));
    expect(partsOf(events)[0]).toMatchObject({ type: 'reasoning' });
    expect(textOf(events)).toBe('');
  });

  it('closes the thinking when its budget is spent', async () => {
    const close = idOf('</think>');
    const { model } = modelOf({
      logits: (tokens, logits) => {
        logits[tokens.includes(close) ? (tokens.at(-1) === 33 ? END : 33) : 120] = 10;
      },
    });
    const reasoning = { enabled: true, budgetTokens: 4 };
    const events = await collect(model.generate(request({ reasoning }), signal));
    expect(partsOf(events).map((part) => 'text' in part && part.text)).toEqual(['x', 'x', 'x', 'x', '!']);
    expect(textOf(events)).toBe('!');
    expect(tokensOf(events).map((event) => event.token)).toContain(close);
  });

  it('closes a thinking between brackets, too', async () => {
    const { model } = modelOf({ text: `[THINK]${'x'.repeat(20)}`, reasoningFormat: 'think-brackets' });
    const events = await collect(model.generate(request({ reasoning: { budgetTokens: 4 } }), signal));
    expect(endOf(events)).toMatchObject({ rawOutput: expect.stringMatching(/^\[THINK\]xxxx\[\/THINK\]/) });
  });

  it('forces nothing after a thinking that ended in time, though the next message has not begun', async () => {
    const head = '<|channel|>final<|message|>';
    const text = `<|channel|>analysis<|message|>ab<|end|><|start|>assistant${head}cd`;
    const { model } = modelOf({ text, reasoningFormat: 'harmony' });
    const reasoning = { budgetTokens: 12 };
    const events = await collect(model.generate(request({ reasoning }), signal));
    expect(textOf(events)).toBe('cd');
    expect(endOf(events)).toMatchObject({ rawOutput: text });
  });

  it('[C34] looks for stop sequences only after the thinking', async () => {
    const { model } = modelOf({ text: '<think>a, b\n</think>\nc, d' });
    const events = await collect(model.generate(request({ stop: [', '] }), signal));
    expect(textOf(events)).toBe('c');
    expect(endOf(events)).toMatchObject({ rawOutput: '<think>a, b\n</think>\nc, ' });
    expect(endOf(events)).toMatchObject({ reason: 'stop', stopSequence: ', ' });
  });

  it('leaves a thinking alone that ends by itself', async () => {
    const { model } = modelOf({ text: '<think>ab</think>cdefghij' });
    const events = await collect(model.generate(request({ reasoning: { budgetTokens: 12 } }), signal));
    expect(textOf(events)).toBe('cdefghij');
    expect(endOf(events)).toMatchObject({ rawOutput: '<think>ab</think>cdefghij' });
  });
});

describe('cancelling', () => {
  it('[S25] stops within one token and frees the engine', async () => {
    const { model, fake } = modelOf({ text: 'x'.repeat(500) });
    const controller = new AbortController();
    const seen: TokenEvent[] = [];
    const failure = await (async () => {
      for await (const events of model.generate(request(), controller.signal)) {
        seen.push(...events);
        if (tokensOf(seen).length === 3) controller.abort();
      }
    })().catch((error: unknown) => error);
    expect(isInferenceError(failure) && failure.code).toBe('cancelled');
    expect(fake.decodes.flat(2).length).toBeLessThanOrEqual(3);
    expect(fake.closeCount).toBe(1);
    expect(textOf(await collect(model.generate(request({ maxTokens: 2 }), signal)))).toBe('xx');
  });

  it('hears an abort that only a message brings', async () => {
    const { model, fake } = modelOf({ text: 'x'.repeat(900) });
    const controller = new AbortController();
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => controller.abort();
    const running = collect(model.generate(request(), controller.signal));
    port2.postMessage('stop');
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
    expect(fake.decodes.flat(2).length).toBeLessThan(100);
    port1.close();
  });

  it('frees the engine when the consumer walks away', async () => {
    const { model, fake } = modelOf();
    for await (const events of model.generate(request(), signal)) if (tokensOf(events).length > 0) break;
    expect(fake.closeCount).toBe(1);
    expect(await collect(model.generate(request({ maxTokens: 1 }), signal))).toHaveLength(3);
  });

  it('throws what the engine was lost for, though the engine never answers', async () => {
    let lose: (error: InferenceError) => void = () => {};
    const lost = new Promise<InferenceError>((resolve) => (lose = resolve));
    const fake = fakeTextEngine();
    const { open } = fake;
    fake.open = async (request) => ({
      ...(await open(request)),
      decode: () => new Promise(() => {}),
    });
    const model = createTextModel(fake, { ...options, lost });
    const running = collect(model.generate(request(), signal));
    setTimeout(() => lose(new InferenceError('unavailable', 'The device was lost.')), 5);
    await expect(running).rejects.toMatchObject({ code: 'unavailable' });
  });
});
