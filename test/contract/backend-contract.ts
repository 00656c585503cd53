/**
 * What every text backend owes, whatever its engine and its model: run by scripted models in Node, by transformers.js
 * and WebLLM in Chromium. Nothing here knows what the model says, only how.
 * @module
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadedModel } from '../../src/core/models/backend.js';
import { isInferenceError } from '../../src/core/errors/inference-error.js';
import type { DecisionQuestion, DecisionResult } from '../../src/core/request/decision-request.js';
import type { ChoiceEndEvent, PieceEvent, PromptEvent, TokenEvent } from '../../src/core/events/token-event.js';
import { type GenerationRequest, plainGenerationRequest } from '../../src/core/request/generation-request.js';
import { collectEvents, logprobsOf, piecesOf, textOf } from '../support/token-events.js';

export interface BackendContract {
  /** Called once; the model is unloaded at the end. It must be able to say some tokens to a greeting. */
  load: () => Promise<LoadedModel>;
  /** Names of tests that this backend cannot pass, and why. */
  skip?: readonly { reason: string; tests: readonly string[] }[];
  /** Names of the only tests that run, where all would take too long. */
  only?: readonly string[];
}

/** A generation, sorted. */
interface Collected {
  events: TokenEvent[];
  prompt: PromptEvent;
  tokens: PieceEvent[];
  ends: ChoiceEndEvent[];
  /** Text per choice. */
  texts: string[];
}

/** Runs the suite for one backend. */
export function describeBackend(name: string, { load, skip = [], only }: BackendContract): void {
  describe(`${name}: backend contract`, () => {
    let model: LoadedModel;
    beforeAll(async () => {
      model = await load();
    }, 300_000);
    afterAll(async () => {
      await model?.unload();
    });

    for (const [title, test] of Object.entries(TESTS)) {
      if (only && !only.includes(title)) continue;
      const reason = skip.find(({ tests }) => tests.includes(title))?.reason;
      // oxlint-disable-next-line vitest/valid-title, vitest/expect-expect -- a table, so that a backend can name what it skips
      it.skipIf(reason !== undefined)(reason === undefined ? title : `${title} (${reason})`, () => test(model));
    }
  });
}

const TESTS: Record<string, (model: LoadedModel) => Promise<void>> = {
  'tells the prompt first, then tokens, and one end': async (model) => {
    const { events, ends, prompt } = await collect(model, ask({ maxTokens: 4 }));
    expect(events.map(({ type }) => type).join(' ')).toMatch(/^prompt( piece)*( counts)? end$/);
    expect(ends[0]!.choice).toBe(0);
    expect(prompt.promptTokens).toBeGreaterThan(0);
    expect(prompt.cachedTokens).toBeLessThanOrEqual(prompt.promptTokens);
  },

  'says the same twice without temperature': async (model) => {
    const first = await collect(model, ask());
    const second = await collect(model, ask());
    expect(first.tokens.length).toBeGreaterThan(0);
    expect(ids(second)).toEqual(ids(first));
    expect(second.texts).toEqual(first.texts);
  },

  'stops at the cap': async (model) => {
    const { tokens, ends } = await collect(model, ask({ maxTokens: 3 }));
    expect(tokens.length).toBeLessThanOrEqual(3);
    expect(ends[0]!.reason).toBe(tokens.length === 3 ? 'length' : 'stop');
  },

  'ends at a stop sequence, which the text omits': async (model) => {
    const whole = (await collect(model, ask())).texts[0]!;
    const stop = whole.slice(Math.floor(whole.length / 2), Math.floor(whole.length / 2) + 3);
    expect(stop).not.toBe('');
    const { texts, ends } = await collect(model, ask({ stop: ['\u0001 never', stop] }));
    expect(texts[0]).toBe(whole.slice(0, whole.indexOf(stop)));
    expect(ends[0]).toMatchObject({ reason: 'stop', stopSequence: stop });
  },

  'repeats itself with the same seed at a high temperature': async (model) => {
    const asked = ask({ sampling: { temperature: 1.5, seed: 7 } });
    const first = await collect(model, asked);
    expect((await collect(model, asked)).texts).toEqual(first.texts);
  },

  'says other things with other seeds': async (model) => {
    const texts = new Set<string>();
    for (const seed of [1, 2, 3]) {
      texts.add((await collect(model, ask({ sampling: { temperature: 1.8, seed } }))).texts[0]!);
    }
    expect(texts.size).toBeGreaterThan(1);
  },

  'gives n choices, each with its own end': async (model) => {
    const { ends, texts, tokens, events } = await collect(model, ask({ n: 3, sampling: { temperature: 1, seed: 1 } }));
    expect(ends.map(({ choice }) => choice).toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
    expect(new Set(tokens.map(({ choice }) => choice))).toEqual(new Set([0, 1, 2]));
    expect(texts).toHaveLength(3);
    expect(events.filter(({ type }) => type === 'prompt')).toHaveLength(1);
  },

  'n greedy choices are n times the same': async (model) => {
    const alone = await collect(model, ask({ maxTokens: 6 }));
    const { texts } = await collect(model, ask({ n: 2, maxTokens: 6 }));
    expect(texts).toEqual([alone.texts[0], alone.texts[0]]);
  },

  'gives log-probabilities of the chosen tokens and the best ones': async (model) => {
    const { events, texts } = await collect(model, ask({ topLogprobs: 3 }));
    expect(logprobsOf(events).length).toBeGreaterThan(0);
    let joined: number[] = [];
    for (const { logprob, top, bytes } of logprobsOf(events)) {
      expect(logprob).toBeLessThanOrEqual(0);
      expect(top).toHaveLength(3);
      const best = top.map((candidate) => candidate.logprob);
      expect(best).toEqual(best.toSorted((a, b) => b - a));
      // Greedy: what was chosen is the most likely.
      expect(logprob).toBeCloseTo(best[0]!, 4);
      expect(Math.exp(best[0]!) + Math.exp(best[1]!) + Math.exp(best[2]!)).toBeLessThanOrEqual(1.001);
      joined = [...joined, ...bytes];
    }
    expect(new TextDecoder().decode(new Uint8Array(joined))).toBe(texts[0]);
  },

  'gives no log-probabilities unless asked': async (model) => {
    const { events, tokens } = await collect(model, ask({ maxTokens: 2 }));
    expect(tokens.length).toBeGreaterThan(0);
    expect(logprobsOf(events)).toEqual([]);
  },

  'a bias of +100 makes a token win at every step': async (model) => {
    const { tokens } = await collect(model, ask());
    const other = tokens.at(-1)!.token!;
    const biased = await collect(model, ask({ maxTokens: 5, sampling: { logitBias: { [other]: 100 } } }));
    expect(ids(biased)).toEqual([other, other, other, other, other]);
    expect(biased.ends[0]!.reason).toBe('length');
  },

  'a bias of -100 forbids a token': async (model) => {
    const { tokens } = await collect(model, ask());
    const forbidden = tokens[0]!.token!;
    const biased = await collect(model, ask({ sampling: { logitBias: { [forbidden]: -100 } } }));
    expect(ids(biased)).not.toContain(forbidden);
  },

  'takes a raw prompt': async (model) => {
    const raw = plainGenerationRequest('model', { type: 'raw', text: 'Once upon a time' });
    const { prompt, ends } = await collect(model, { ...raw, maxTokens: 4 });
    expect(prompt.promptTokens).toBeGreaterThan(0);
    expect(ends).toHaveLength(1);
  },

  'counts the tokens of a prompt as it reads them': async (model) => {
    const asked = ask({ maxTokens: 1 });
    const counted = await model.countTokens!(asked, never());
    expect((await collect(model, asked)).prompt.promptTokens).toBe(counted);
  },

  'refuses a prompt that is longer than its context, and goes on': async (model) => {
    const long = 'word '.repeat(model.info.contextLength + 8);
    await expect(collect(model, ask({}, long))).rejects.toMatchObject({ code: 'context_length_exceeded' });
    await expectAnswer(model);
  },

  'does not begin when it is already cancelled': async (model) => {
    const aborted = new AbortController();
    aborted.abort();
    await expect(collect(model, ask(), aborted.signal)).rejects.toMatchObject({ code: 'cancelled' });
    await expectAnswer(model);
  },

  'stops when it is cancelled, and is free again': async (model) => {
    for (const after of [1, 2, 3]) {
      const controller = new AbortController();
      const { thrown, late } = await abortAfter(model, controller, after);
      expect(isInferenceError(thrown) && thrown.code).toBe('cancelled');
      // One token may be under way.
      expect(late).toBeLessThanOrEqual(1);
      await expectAnswer(model);
    }
  },

  '[D07] decides alike alone, in company, in any order, and when asked again': async (model) => {
    const questions = [
      decisionAbout('Is the weather good?', 'Yes', 'No'),
      decisionAbout('Which one?', 'sun', 'sunny', 'rain and more'),
      decisionAbout('Where is it?', 'a', 'b', 'c'),
    ];
    const together = await decisions(model, questions);
    for (const shares of together) expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 6);
    const reversed = await decisions(model, questions.toReversed());
    expectAlike(reversed.toReversed(), together);
    for (const [index, question] of questions.entries()) {
      expectAlike(await decisions(model, [question]), [together[index]!]);
    }
    await collect(model, ask({ maxTokens: 3 }));
    expectAlike(await decisions(model, questions), together);
  },

  '[D08] finds the input in the prefix cache when it is asked again': async (model) => {
    const text = 'A long walk in the fields of the north. '.repeat(6);
    const first = await decide(model, [decisionAbout('Is it long?', 'Yes', 'No')], text);
    const second = await decide(model, [decisionAbout('Is it short?', 'Yes', 'No')], text);
    expect(first.cachedTokens).toBe(0);
    expect(second.inputTokens).toBeGreaterThan(second.cachedTokens);
    expect(second.cachedTokens).toBeGreaterThan(first.inputTokens / 4);
  },

  '[D15] is free again when decisions are aborted': async (model) => {
    const stop = new AbortController();
    const questions = Array.from({ length: 200 }, (_, index) => decisionAbout(`Is it ${index}?`, 'Yes', 'No'));
    const asked = decide(model, questions, 'Some input.', stop.signal);
    setTimeout(() => stop.abort(), 20);
    const thrown: unknown = await asked.then(
      () => 'answered before the abort',
      (error: unknown) => error,
    );
    if (thrown !== 'answered before the abort') expect(thrown).toMatchObject({ code: 'cancelled' });
    await expectAnswer(model);
  },

  'is free again when the reader breaks off': async (model) => {
    let steps = 0;
    for await (const _ of model.generate!(ask(), never())) if (++steps === 2) break;
    await expectAnswer(model);
    for await (const events of model.generate!(ask(), never())) if (events[0]!.type === 'prompt') break;
    await expectAnswer(model);
  },
};

/** A greeting, greedy, 12 tokens. */
function ask(overrides: Partial<GenerationRequest> = {}, text = 'Hello! Who are you?'): GenerationRequest {
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }];
  return { ...plainGenerationRequest('model', { type: 'chat', messages }), maxTokens: 12, ...overrides };
}

function decisionAbout(question: string, ...options: string[]): DecisionQuestion {
  return {
    kind: 'choice',
    instructions: [{ type: 'text', text: question }],
    options: options.map((text) => ({ text, name: text })),
  };
}

type ReadDecisions = Extract<DecisionResult, { type: 'read' }>;

async function decide(
  model: LoadedModel,
  questions: DecisionQuestion[],
  text = 'The sun is out.',
  signal = never(),
): Promise<ReadDecisions> {
  const forward = { path: '/decisions', body: {} };
  const input = [{ type: 'text' as const, text }];
  const result = await model.decide!({ model: 'model', input, questions, inputParam: 'input', forward }, signal);
  if (result.type !== 'read') throw new Error('The model did not read the decisions itself.');
  return result;
}

async function decisions(model: LoadedModel, questions: DecisionQuestion[]): Promise<number[][]> {
  const { decisions: all } = await decide(model, questions);
  return all.map((each) => (each === 'refused' ? [] : each.probabilities));
}

function expectAlike(found: readonly number[][], wanted: readonly number[][]): void {
  for (const [index, shares] of wanted.entries())
    for (const [option, share] of shares.entries()) expect(found[index]![option]).toBeCloseTo(share, 5);
}

function never(): AbortSignal {
  return new AbortController().signal;
}

async function collect(model: LoadedModel, request: GenerationRequest, signal = never()): Promise<Collected> {
  const events = await collectEvents(model.generate!(request, signal));
  const prompt = events.find((event) => event.type === 'prompt');
  if (!prompt) throw new Error('No prompt event came.');
  const texts = Array.from({ length: request.n }, (_, choice) => textOf(events, choice));
  return {
    events,
    prompt,
    tokens: piecesOf(events),
    ends: events.filter((event) => event.type === 'end'),
    texts,
  };
}

function ids({ tokens }: Collected): number[] {
  return tokens.map(({ token }) => token ?? -1);
}

/** Aborts when so many tokens have come; `late` counts those that came after. */
async function abortAfter(
  model: LoadedModel,
  controller: AbortController,
  count: number,
): Promise<{ thrown: unknown; late: number }> {
  let seen = 0;
  try {
    for await (const events of model.generate!(ask({ maxTokens: 64, stop: [] }), controller.signal)) {
      seen += piecesOf(events).length;
      if (seen >= count && !controller.signal.aborted) controller.abort();
    }
  } catch (thrown) {
    return { thrown, late: seen - count };
  }
  return { thrown: undefined, late: seen - count };
}

async function expectAnswer(model: LoadedModel): Promise<void> {
  const { ends, tokens } = await collect(model, ask({ maxTokens: 3 }));
  expect(ends).toHaveLength(1);
  expect(tokens.length).toBeGreaterThan(0);
}
