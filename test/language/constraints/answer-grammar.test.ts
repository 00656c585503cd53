import { describe, expect, it } from 'vitest';
import { type AnswerFormat, answerGrammar, answerGrammars } from '../../../src/language/constraints/answer-grammar.js';
import { ask } from './support/ask.js';

const format: AnswerFormat = {
  toolFormat: 'hermes',
  reasoningFormat: 'none',
  reasoningOpen: false,
  spacing: 'spaced',
  marker: () => undefined,
};

describe('answerGrammar', () => {
  it.each([
    ['think-tags', '<think>'],
    ['think-brackets', String.raw`\u005bTHINK\u005d`],
  ] as const)('lets a model think in %s before its JSON when thinking is enabled', (reasoningFormat, open) => {
    const grammar = (enabled: boolean): string =>
      answerGrammar(ask({ output: { type: 'json-object' }, reasoning: { enabled } }), { ...format, reasoningFormat });
    expect(grammar(true)).toContain(open);
    expect(grammar(false)).not.toContain(open);
  });
});

describe('answerGrammars', () => {
  const output = (maxLength: number) =>
    ask({ output: { type: 'json-schema', name: 'x', schema: { type: 'string', maxLength }, strict: true } });

  it('is one grammar where all strings are short', () => {
    expect(answerGrammars(output(8), format, 8)).toEqual({ masks: answerGrammar(output(8), format) });
  });

  it('leaves longer ones open for masks, and counts them exactly beside', () => {
    const { masks, exact } = answerGrammars(output(256), format, 8);
    expect(masks).toBe(answerGrammars(output(5_000), format, 8).masks);
    expect(masks).not.toContain('256');
    expect(exact).toContain('{0,256}');
    // What an agent sends: places of the masks do not grow with the bounds.
    const findings = { type: 'array', maxItems: 32, items: { type: 'string', maxLength: 400 } } as const;
    const tools = Array.from({ length: 25 }, (_, index) => ({
      name: `tool_${index}`,
      parameters: { type: 'object', properties: { findings, note: { type: 'string', maxLength: 9_000 } } } as const,
    }));
    expect(answerGrammars(ask({ tools }), format, 8).masks).not.toMatch(/400|9000/);
  });
});
