import { describe, expect, it } from 'vitest';
import { type AnswerFormat, answerGrammar } from '../../../src/model/constraints/answer-grammar.js';
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
