/** What every family publishes is shown to every other: the order of the list decides nothing that is not said here. */
import { describe, expect, it } from 'vitest';
import { MODEL_FAMILIES } from '../../../src/language/families/families.js';
import type { ModelFamily } from '../../../src/language/families/format/model-family.js';
import { templateTraits } from '../../../src/language/prompt/template-traits.js';
import { familyExamples } from './support/family-examples.js';
import { MEANINGS } from './support/meanings.js';
import { FAMILY_TEMPLATES } from './support/templates.js';

/** Two families recognise what the first of them writes, which stands before the other in the list. */
const ORDER = {
  tools: [
    ['qwen3-coder', 'hermes', 'its elements stand in the same tags'],
    ['glm-4.5', 'hermes', 'its elements stand in the same tags'],
    ['deepseek', 'deepseek-v3.1', 'the same tags, with a type before the name'],
    ['minicpm', 'lfm2', 'the same tags, with a fence inside'],
    ['phi4-mini', 'granite', 'the same opening tag, and one that closes'],
    ['seed-oss', 'qwen3-coder', 'the same elements in tags of its own'],
  ],
  reasoning: [
    ['hunyuan', 'think-tags', 'the same tags, and some around the answer'],
    ['minimax-m2', 'think-tags', 'the same tags, with calls of its own'],
    ['minimax-m2', 'granite-3.3', 'its results stand in the tags of answers'],
    ['cohere2-moe', 'command-r7b', 'the same tags around thoughts, and others around the answer'],
    ['granite-3.3', 'think-tags', 'the same tags, and some around the answer'],
  ],
} as const;

/** Calls without any tag: only what a template says of them shows these families. */
const UNTAGGED: Record<string, string> = {
  'json-list': '[BEGIN OF TASK INSTRUCTION]',
  llama3: 'Respond in the format {"name": function name, "parameters": dictionary}.',
  pythonic: 'The format is [func_name1(params_name1=params_value1), func_name2(params)].',
};

type Part = keyof typeof ORDER;
const families: readonly ModelFamily[] = MODEL_FAMILIES;
const recognising = (text: string, part: Part): string[] =>
  families.filter((family) => family[part]?.recognise(text)).map(({ name }) => name);
/** The family, and those after it in the list that would recognise it, too. */
const allowed = (name: string, part: Part): string[] => [
  name,
  ...ORDER[part].filter(([first]) => first === name).map(([, second]) => second),
];

function expectOnly(found: readonly string[], name: string, part: Part): void {
  expect(found[0] ?? 'none').toBe(name);
  expect(allowed(name, part)).toEqual(expect.arrayContaining([...found]));
}

const examples = familyExamples().map(({ formats, examples: all }) => {
  // Outputs of their own are often what models write wrongly.
  const published = all.filter(({ name }) => Object.hasOwn(MEANINGS, name));
  const written = (part: 'calls' | 'reasoning'): string =>
    published.flatMap(({ meaning, output }) => (meaning[part] ? [output] : [])).join('\n');
  return { tools: formats.toolFormat, reasoning: formats.reasoningFormat, calls: written('calls'), written };
});
const called = examples.filter(({ tools, calls }) => tools !== 'none' && calls !== '');

describe('families that recognise a call', () => {
  it.each(called)('of $tools in its examples', ({ tools, calls }) => {
    expect(recognising(calls, 'tools')).toEqual(tools in UNTAGGED ? [] : allowed(tools, 'tools'));
  });

  it.each(Object.entries(UNTAGGED))('of %s in the words of its templates', (name, words) => {
    expect(recognising(words, 'tools')).toEqual([name]);
  });

  const declaring = FAMILY_TEMPLATES.map((each) => ({ ...each, source: each.toolTemplate ?? each.template }))
    .map((each) => ({ ...each, traits: templateTraits(each.source) }))
    .filter(({ traits }) => traits.tools !== 'never');
  it.each(declaring)('in the template of $models', ({ toolFormat, source, traits }) => {
    const found = [traits.call, traits.prompt, source].map((text) => recognising(text, 'tools'));
    expect(found.flat()).toContain(toolFormat);
    for (const names of found.filter(([first]) => first !== undefined)) expectOnly(names, toolFormat, 'tools');
  });
});

describe('families that recognise a thought', () => {
  it.each(examples)('of $reasoning in the examples of $tools', ({ reasoning, written }) => {
    const thought = written('reasoning');
    // A template shows answers without thoughts as well.
    const source = `${thought}\n${families.find(({ name }) => name === reasoning)?.reasoning?.write('a', 'b', '')}`;
    expectOnly(recognising(source, 'reasoning'), reasoning, 'reasoning');
  });

  it.each(FAMILY_TEMPLATES)('in the template of $models', ({ template, reasoningFormat }) => {
    expectOnly(recognising(template, 'reasoning'), reasoningFormat, 'reasoning');
  });
});

it.each([...ORDER.tools, ...ORDER.reasoning])('%s stands before %s: %s', (first, second) => {
  const names = families.map(({ name }) => name);
  expect(names.indexOf(first)).toBeLessThan(names.indexOf(second));
});
