/** Probabilities of answers, on engines whose logits are known so that each can be computed by hand. */
import { describe, expect, it } from 'vitest';
import type {
  DecisionOption,
  DecisionQuestion,
  DecisionRequest,
  DecisionResult,
} from '../../../src/core/request/decision-request.js';
import { createTextModel } from '../../../src/language/decoding/create-text-model.js';
import type { TextTokenizer } from '../../../src/language/prompt/text-tokenizer.js';
import {
  byteTokenizer,
  END,
  type FakeEngine,
  type FakeEngineOptions,
  fakeTextEngine,
  idOf,
} from './fake-text-engine.js';

type Logits = NonNullable<FakeEngineOptions['logits']>;

const IM_END = idOf('<|im_end|>');

/** A byte of the text, as a token. */
const byte = (character: string): number => character.charCodeAt(0);

const option = (text: string, name = text): DecisionOption => ({ text, name });
const predicate: DecisionQuestion = {
  kind: 'predicate',
  instructions: [{ type: 'text', text: 'Is it kind?' }],
  options: [option('Yes'), option('No')],
};
const choiceOf = (...values: string[]): DecisionQuestion => ({
  kind: 'choice',
  instructions: [{ type: 'text', text: 'Which one?' }],
  options: values.map((value) => option(value)),
});

function request(questions: DecisionQuestion[], input = 'The input.'): DecisionRequest {
  return {
    model: 'm',
    input: [{ type: 'text', text: input }],
    questions,
    inputParam: 'input',
    forward: { path: '/decisions', body: {} },
  };
}

/** What stands between the place of the answer and the end of the tokens. */
function answered(tokens: readonly number[]): string {
  const text = String.fromCharCode(...tokens.map((token) => (token < 256 ? token : 0xe000 + token)));
  return text.slice(text.lastIndexOf('assistant\n') + 'assistant\n'.length);
}

/** Logits by what of the answer stands there: tokens that are not named have 0. */
function knownAnswers(table: Record<string, Record<number, number>>): Logits {
  return (tokens, logits) => {
    logits.fill(0);
    for (const [token, logit] of Object.entries(table[answered(tokens)] ?? {})) logits[Number(token)] = logit;
  };
}

async function decide(
  options: FakeEngineOptions,
  asked: DecisionRequest,
): Promise<{ engine: FakeEngine; result: Extract<DecisionResult, { type: 'read' }>; probabilities: number[][] }> {
  const engine = fakeTextEngine({ contextLength: 5000, ...options });
  const model = createTextModel(engine, { info: { device: 'none', threads: 1 }, unload: async () => {} });
  const result = await model.decide(asked, new AbortController().signal);
  if (result.type !== 'read') throw new Error('A text engine reads.');
  const probabilities = result.decisions.map((each) => (each === 'refused' ? [] : each.probabilities));
  return { engine, result, probabilities };
}

/** Both ways to read: after the input in one sequence, and in sequences of their own. */
const WAYS = [
  ['rolled back', { speculates: true }],
  ['in sequences of their own', { speculates: false }],
] as const;

/** exp(logits) of the vocabulary: the named tokens, and 1 for each other. */
const total = (...named: number[]): number =>
  named.reduce((sum, logit) => sum + Math.exp(logit), byteTokenizer.vocabularySize - named.length);

describe.each(WAYS)('%s', (_, way) => {
  it('[D05] one token after the other: the share of the product of their probabilities', async () => {
    const logits = knownAnswers({
      '': { [byte('Y')]: 3, [byte('N')]: 2 },
      Y: { [byte('e')]: 1 },
      Ye: { [byte('s')]: 4 },
      N: { [byte('o')]: 5 },
    });
    const yes = (Math.exp(3) / total(3, 2)) * (Math.exp(1) / total(1)) * (Math.exp(4) / total(4));
    const no = (Math.exp(2) / total(3, 2)) * (Math.exp(5) / total(5));
    const { probabilities } = await decide({ ...way, logits }, request([predicate]));
    expect(probabilities[0]![0]).toBeCloseTo(yes / (yes + no), 7);
    expect(probabilities[0]![1]).toBeCloseTo(no / (yes + no), 7);
  });

  it('[D05] one option begins with another: the end of the turn counts, all end tokens together', async () => {
    const logits = knownAnswers({
      '': { [byte('a')]: 2, [byte('c')]: 1 },
      a: { [byte('b')]: 1, [END]: 2, [IM_END]: 3 },
      ab: { [END]: 4 },
      c: { [IM_END]: 6 },
    });
    const first = total(2, 1);
    const afterA = total(1, 2, 3);
    const a = (Math.exp(2) / first) * ((Math.exp(2) + Math.exp(3)) / afterA);
    // The other end token has a logit of 0.
    const ab = (Math.exp(2) / first) * (Math.exp(1) / afterA) * ((Math.exp(4) + 1) / total(4));
    const c = (Math.exp(1) / first) * ((Math.exp(6) + 1) / total(6));
    const { probabilities } = await decide({ ...way, logits }, request([choiceOf('a', 'ab', 'c')]));
    const sum = a + ab + c;
    for (const [index, share] of [a, ab, c].entries()) expect(probabilities[0]![index]).toBeCloseTo(share / sum, 7);
  });

  it('[D05] where no option begins with another the end of the turn does not count', async () => {
    const logits = knownAnswers({ '': { [byte('a')]: 2, [byte('b')]: 1 }, a: { [END]: 9 }, b: {} });
    const { probabilities, engine } = await decide({ ...way, logits }, request([choiceOf('a', 'b')]));
    expect(probabilities[0]![0]).toBeCloseTo(Math.exp(2) / (Math.exp(2) + Math.exp(1)), 7);
    // Nothing is read behind the place of the answer.
    expect(engine.decodes.flat(2).filter((token) => token === byte('a')).length).toBeLessThan(20);
  });

  it('[D05] logits beyond 32 bits of exponent, and options that are impossible', async () => {
    const logits = knownAnswers({ '': { [byte('a')]: 500, [byte('b')]: 499, [byte('c')]: -Infinity } });
    const { probabilities } = await decide({ ...way, logits }, request([choiceOf('a', 'b', 'c')]));
    expect(probabilities[0]![0]).toBeCloseTo(1 / (1 + Math.exp(-1)), 7);
    expect(probabilities[0]![2]).toBe(0);
    const impossible: Logits = (_tokens, all) => void all.fill(-Infinity);
    const none = await decide({ ...way, logits: impossible }, request([choiceOf('a', 'b')]));
    expect(none.probabilities[0]).toEqual([0.5, 0.5]);
  });

  it('[D07] is the same alone and with other questions, in any order', async () => {
    const logits: Logits = (tokens, all) => {
      // Depends on every token before it.
      let state = 7;
      for (const token of tokens) state = (Math.imul(state, 31) + token) | 0;
      for (let token = 0; token < all.length; token++) all[token] = (Math.imul(state, token + 3) >>> 8) / 2 ** 22;
    };
    const questions = [predicate, choiceOf('red', 'reddish', 'blue'), choiceOf('x', 'y', 'z')];
    const together = await decide({ ...way, logits }, request(questions));
    const reversed = await decide({ ...way, logits }, request(questions.toReversed()));
    expect(reversed.probabilities.toReversed()).toEqual(together.probabilities);
    for (const [index, question] of questions.entries()) {
      const alone = await decide({ ...way, logits }, request([question]));
      expect(alone.probabilities[0]).toEqual(together.probabilities[index]);
    }
  });

  it('[D15] an abort frees the engine within one question', async () => {
    const stop = new AbortController();
    let passes = 0;
    const logits: Logits = () => {
      passes += 1;
      if (passes === 3) stop.abort();
    };
    const engine = fakeTextEngine({ ...way, contextLength: 5000, logits });
    const model = createTextModel(engine, { info: { device: 'none', threads: 1 }, unload: async () => {} });
    const questions = Array.from({ length: 50 }, () => choiceOf('a', 'b'));
    await expect(model.decide(request(questions), stop.signal)).rejects.toMatchObject({ code: 'cancelled' });
    expect(passes).toBeLessThan(8);
    expect(engine.closeCount).toBe(engine.openCount);
  });
});

/** Everything that the engine has read, as text. */
function readText(engine: FakeEngine, prompts: readonly (readonly number[])[]): string {
  const tokens = [...prompts, ...engine.decodes.flat()].flat();
  return tokens.map((token) => new TextDecoder().decode(byteTokenizer.bytesOf(token))).join('');
}

/** An engine that notes the prompts of its sequences. */
function notingEngine(options: FakeEngineOptions = {}): { engine: FakeEngine; prompts: number[][] } {
  const engine = fakeTextEngine({ contextLength: 5000, speculates: true, ...options });
  const prompts: number[][] = [];
  const { open } = engine;
  engine.open = (asked) => {
    prompts.push([...asked.promptTokens]);
    return open(asked);
  };
  return { engine, prompts };
}

async function promptText(asked: DecisionRequest, options: FakeEngineOptions = {}): Promise<string> {
  const { engine, prompts } = notingEngine(options);
  const model = createTextModel(engine, { info: { device: 'none', threads: 1 }, unload: async () => {} });
  await model.decide(asked, new AbortController().signal);
  return readText(engine, prompts);
}

describe('the prompt', () => {
  it('[D06] has the input once, the question after it, with every value and description', async () => {
    const question: DecisionQuestion = {
      kind: 'choice',
      instructions: [{ type: 'text', text: 'Which department?' }],
      options: [{ ...option('sales'), description: 'who wants to buy' }, option('support')],
    };
    const score: DecisionQuestion = {
      kind: 'score',
      instructions: [],
      options: [{ ...option('0', 'calm'), description: 'no hurry' }, option('1', 'urgent')],
    };
    const text = await promptText(request([question, score], 'My printer burns.'));
    expect(text.split('My printer burns.')).toHaveLength(2);
    const order = [
      'My printer burns.',
      'Which department?',
      'sales',
      'who wants to buy',
      'support',
      'calm',
      'no hurry',
      'urgent',
    ];
    const places = order.map((each) => text.indexOf(each, text.indexOf('My printer burns.')));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual(places.toSorted((left, right) => left - right));
  });

  it('[D06] is one turn of the user, without a thought; text that spells control tokens stays text', async () => {
    const { engine, prompts } = notingEngine();
    const model = createTextModel(engine, { info: { device: 'none', threads: 1 }, unload: async () => {} });
    await model.decide(request([predicate], 'a<|im_end|>b'), new AbortController().signal);
    const tokens = [...prompts.flat(), ...engine.decodes.slice(0, 2).flat(2)];
    expect(tokens.filter((token) => token === IM_END)).toHaveLength(1);
    expect(tokens.filter((token) => token === idOf('<think>'))).toHaveLength(0);
  });

  const withTemplate = (end: string): TextTokenizer => ({
    ...byteTokenizer,
    chatTemplate: `{% for m in messages %}{{ m.role + ': ' + m.content + '\n' }}{% endfor %}{{ ${JSON.stringify(end)} }}`,
  });

  it.each([
    ['opens a thought that was not asked for', 'assistant\n<think>\n', 1],
    ['says nothing of thoughts, so that the model always thinks', 'assistant\n', 1],
  ])('[D06] a template that %s: the thought is closed by hand', async (_, end, closed) => {
    const { engine } = notingEngine({ tokenizer: withTemplate(end) });
    const model = createTextModel(engine, { info: { device: 'none', threads: 1 }, unload: async () => {} });
    await model.decide(request([predicate]), new AbortController().signal);
    const tokens = engine.decodes.flat(2);
    expect(tokens.filter((token) => token === idOf('<think>'))).toHaveLength(1);
    expect(tokens.filter((token) => token === idOf('</think>'))).toHaveLength(closed);
  });

  it('[D12] a model without a chat template decides too', async () => {
    const { chatTemplate: _, ...plain } = byteTokenizer;
    const text = await promptText(request([predicate], 'The input.'), { tokenizer: plain });
    expect(text).toContain('The input.');
    expect(text).toContain('Is it kind?');
  });

  it('[D11] input and question that fill the context: refused, with the name of the input', async () => {
    const asked = request([predicate, choiceOf('a', 'b')], 'word '.repeat(40));
    const engine = fakeTextEngine({ speculates: true });
    const model = createTextModel(engine, { info: { device: 'none', threads: 1 }, unload: async () => {} });
    const { result } = await decide({ speculates: true }, asked);
    expect(result.inputTokens).toBeGreaterThan(300);
    const small = fakeTextEngine({ contextLength: 300, speculates: true });
    const short = createTextModel(small, { info: { device: 'none', threads: 1 }, unload: async () => {} });
    await expect(short.decide(asked, new AbortController().signal)).rejects.toMatchObject({
      code: 'context_length_exceeded',
      details: { param: 'input' },
    });
    expect(small.openCount).toBe(0);
    await expect(
      model.decide(request([predicate], 'x'.repeat(100_000)), new AbortController().signal),
    ).rejects.toMatchObject({ code: 'context_length_exceeded', details: { param: 'input' } });
  });

  it('[D08] the input is read, and counted, once', async () => {
    const one = await decide({ speculates: true }, request([predicate], 'i'.repeat(500)));
    const three = await decide({ speculates: true }, request([predicate, predicate, predicate], 'i'.repeat(500)));
    const question = (three.result.inputTokens - one.result.inputTokens) / 2;
    expect(question).toBeLessThan(150);
    expect(three.engine.openCount).toBe(1);
    expect(three.engine.decodes.flat(2).filter((token) => token === byte('i')).length).toBeLessThan(100);
  });
});
