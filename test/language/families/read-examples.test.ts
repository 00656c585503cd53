import { describe, expect, it } from 'vitest';
import { readExamples } from './support/read-examples.js';

const HEAD = 'calls: hermes\nthoughts: none\n\n';

describe('readExamples', () => {
  it('reads outputs of several lines, and meanings of the table and of their own', () => {
    const { formats, examples } = readExamples(
      `${HEAD}=== no arguments\na\n\nb\n\n=== own\nx\n--- {"text": "x"}\n\n=== same\ny\n\n--- no arguments\n`,
    );
    expect(formats).toEqual({ toolFormat: 'hermes', reasoningFormat: 'none' });
    const none = { calls: [['now', {}]] };
    expect(examples).toEqual([
      { name: 'no arguments', output: 'a\n\nb', meaning: none },
      { name: 'own', output: 'x', meaning: { text: 'x' } },
      { name: 'same', output: 'y\n', meaning: none },
    ]);
  });

  it.each([
    ['an unknown format', 'calls: klingon\nthoughts: none\n\n=== no arguments\na\n', 'begins with its formats'],
    ['no formats', '=== no arguments\na\n', 'begins with its formats'],
    ['an unknown meaning', `${HEAD}=== own\na\n`, 'No meaning is known as "own"'],
    ['an unknown field', `${HEAD}=== own\na\n--- {"txt": "a"}\n`, 'txt'],
    ['two meanings', `${HEAD}=== own\na\n--- one call\n--- one call\n`, 'two meanings'],
    ['no output', `${HEAD}=== own\n--- one call\n`, 'no output'],
    ['no empty line', `${HEAD}=== one call\na\n=== two calls\nb\n`, 'empty line'],
    ['a name twice', `${HEAD}=== one call\na\n\n=== one call\nb\n`, 'Two examples'],
  ])('refuses %s', (_, content, problem) => {
    expect(() => readExamples(content)).toThrow(problem);
  });
});
