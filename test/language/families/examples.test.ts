import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type AnswerFormats, answerSyntax, createChannelParser } from '../../../src/language/families/answer-syntax.js';
import { answerGrammar } from '../../../src/language/constraints/answer-grammar.js';
import { conformsToSchema } from '../constraints/support/conforms-to-schema.js';
import type { ToolFormat } from '../../../src/core/models/answer-formats.js';
import { MODEL_FAMILIES } from '../../../src/language/families/families.js';
import type { ModelFamily } from '../../../src/language/families/format/model-family.js';
import { ask } from '../constraints/support/ask.js';
import { sampleEbnf } from '../constraints/support/sample-ebnf.js';
import { seededRandom } from '../constraints/support/walk.js';
import { read } from '../../contract/channel-parser-contract.js';
import { EXAMPLE_TOOLS, type Meaning } from './support/meanings.js';
import { familyExamples } from './support/family-examples.js';
import { rounds } from '../../support/rounds.js';

const families = familyExamples();
const cases = families.flatMap(({ formats, examples }) =>
  examples.map((example) => ({
    title: `${formats.toolFormat}, ${formats.reasoningFormat}: ${example.name}`,
    formats,
    example,
  })),
);

function parser(formats: AnswerFormats, reasoningOpen = false) {
  return createChannelParser({ ...formats, reasoningOpen, toolsOffered: true, tools: EXAMPLE_TOOLS });
}

interface Call {
  name: string;
  arguments: string;
  complete: boolean;
}

/** What the pieces of an output mean. */
function meaning(formats: AnswerFormats, pieces: readonly string[], { reasoningOpen = false, isCut = false } = {}) {
  const calls: Call[] = [];
  let [text, reasoning] = ['', ''];
  for (const part of read(parser(formats, reasoningOpen), pieces, isCut).parts) {
    if (part.type === 'text') text += part.text;
    else if (part.type === 'reasoning') reasoning += part.text;
    else if (part.type === 'tool-call-start') calls.push({ name: part.name, arguments: '', complete: false });
    else if (part.type === 'tool-call-arguments') calls.at(-1)!.arguments += part.text;
    else calls.at(-1)!.complete = true;
  }
  return { text, reasoning, calls };
}

function expected({ text = '', reasoning = '', calls = [], open }: Meaning) {
  const whole = calls.map(([name, given]) => [name, given]);
  return { text, reasoning, calls: open ? [...whole, [open[0], open[1]]] : whole };
}

function found(formats: AnswerFormats, pieces: readonly string[], isCut: boolean) {
  const { text, reasoning, calls } = meaning(formats, pieces, { isCut });
  const read = calls.map((call) => [
    call.name,
    call.complete ? (JSON.parse(call.arguments) as unknown) : call.arguments,
  ]);
  return { text, reasoning, calls: read };
}

describe('example outputs', () => {
  it('are at least 300, and every family has some', () => {
    expect(cases.length).toBeGreaterThanOrEqual(300);
    const shown = new Set<string>(families.flatMap(({ formats }) => [formats.toolFormat, formats.reasoningFormat]));
    expect(MODEL_FAMILIES.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([]);
  });

  it.each(cases)('$title', ({ formats, example }) => {
    const isCut = example.meaning.open !== undefined;
    expect(found(formats, [example.output], isCut)).toEqual(expected(example.meaning));
  });

  it.each(cases)('$title: cut at every character', ({ formats, example: { output } }) => {
    const whole = read(parser(formats), [output]);
    const differs = (index: number): boolean =>
      !isDeepStrictEqual(read(parser(formats), [output.slice(0, index), output.slice(index)]), whole);
    // One expectation for all cuts: the matcher would be most of the work.
    expect(Array.from({ length: output.length }, (_, index) => index).filter(differs)).toEqual([]);
    expect(read(parser(formats), output.split(''))).toEqual(whole);
  });
});

const tools: { name: ToolFormat; family: ModelFamily }[] = MODEL_FAMILIES.flatMap((family: ModelFamily) =>
  family.tools && family.name !== 'none' ? [{ name: family.name as ToolFormat, family }] : [],
);

describe.each(tools)('grammar of $name', ({ name, family }) => {
  const formats: AnswerFormats = { toolFormat: name, reasoningFormat: name === 'harmony' ? 'harmony' : 'none' };
  const tags = family.tools!.grammar.tags;
  const tokens = new Map(tags.map((tag, index) => [tag, String.fromCodePoint(0xe000 + index)]));
  const vocabularies = [
    ['every tag a token', (text: string) => tokens.get(text)],
    ['every tag spelled', () => undefined],
  ] as const;

  const grammar = (marker: (text: string) => string | undefined, more: object): string => {
    const request = ask({ tools: [...EXAMPLE_TOOLS], toolChoice: 'required', ...more });
    return answerGrammar(request, { ...formats, reasoningOpen: false, spacing: 'spaced', marker });
  };

  const sample = (ebnf: string, seed: number): Call[] => {
    let output = sampleEbnf(ebnf, seededRandom(seed));
    for (const [tag, character] of tokens) output = output.replaceAll(character, tag);
    const { text, reasoning, calls } = meaning(formats, [output]);
    expect({ output, text: text.trim(), reasons: reasoning !== '' && name !== 'harmony' }).toEqual({
      output,
      text: '',
      reasons: false,
    });
    for (const call of calls) {
      const schema = EXAMPLE_TOOLS.find((tool) => tool.name === call.name)?.parameters ?? { maxProperties: 0 };
      const isValid = call.complete && conformsToSchema(JSON.parse(call.arguments), schema);
      expect({ output, isValid }).toEqual({ output, isValid: true });
    }
    return calls;
  };

  it.each(vocabularies)('[C46] [C56] required: only valid calls, at least one; %s', (_, marker) => {
    const ebnf = grammar(marker, {});
    for (let seed = 0; seed < rounds(20, 60); seed += 1) expect(sample(ebnf, seed).length).toBeGreaterThan(0);
  });

  it.each(vocabularies)('[C47] [C50] one call of the forced function; %s', (_, marker) => {
    const ebnf = grammar(marker, { toolChoice: { name: 'book' }, parallelToolCalls: false });
    for (let seed = 0; seed < rounds(10, 30); seed += 1) {
      expect(sample(ebnf, seed).map((call) => call.name)).toEqual(['book']);
    }
  });

  it('writes what it reads', () => {
    const calls = [
      { name: 'search', arguments: { query: 'a "b" {c} [d]\n<e>', limit: 3, tags: ['x', 'y'] } },
      { name: 'now', arguments: {} },
    ];
    const output = answerSyntax(formats).reasoning.write('', '', answerSyntax(formats).tools.write(calls));
    const read = meaning(formats, [output]).calls.map((call) => ({
      name: call.name,
      arguments: JSON.parse(call.arguments) as unknown,
    }));
    expect(read).toEqual(calls);
  });
});
