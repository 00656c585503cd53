import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PatternMatcher } from '../../../../src/core/schema/automaton/pattern-matcher.js';
import { patternAutomaton } from '../../../../src/core/schema/automaton/pattern-matcher.js';
import { acceptsText } from '../../../../src/core/schema/automaton/automaton.js';
import { WorkBudget } from '../../../../src/core/schema/limits/work-budget.js';

const atom = fc.constantFrom(
  'a',
  'b',
  '.',
  '\\d',
  '\\w',
  '\\s',
  '[ab]',
  '[^a]',
  '\\p{L}',
  'é',
  '[é-ü]',
  '\\u{1F600}',
  '\\ud83d\\ude00',
  '\\x41',
  '^',
  '$',
  '\\b',
  '\\B',
  '(?=a)',
  '(?!b)',
  '(?<=a)',
  '(?<!b)',
  '(?=.*b)',
  '(?<=a.*)',
);
const quantified = fc
  .tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}', '{0}', '*?', '+?'))
  .map(([each, times]) => (/^(?:[\^$]|\\[bB]|\(\?)/.test(each) ? each : each + times));
const pattern = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 3 },
    fc.array(quantified, { maxLength: 4 }).map((parts) => parts.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `${left}|${right}`),
    fc.tuple(tie('pattern'), fc.constantFrom('', '*', '+', '{2}')).map(([inner, times]) => `(?:${inner})${times}`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('(?=', '(?!', '(?<=', '(?<!', '(', '(?<name>'))
      .map(([inner, open]) => (open === '(?<name>' && inner.includes('(?<name>') ? inner : `${open}${inner})`)),
  ),
})).pattern;
const text = fc
  .array(fc.constantFrom('a', 'b', 'A', '1', ' ', '\n', 'é', 'ü', '😀', '_', '\u2028', '\ud83d'), { maxLength: 8 })
  .map((characters) => characters.join(''));

function isValid(source: string): boolean {
  try {
    return new RegExp(source, 'u').source !== '';
  } catch {
    return false;
  }
}

describe('PatternMatcher', () => {
  it('finds what regular expressions of the language find', () => {
    fc.assert(
      fc.property(pattern.filter(isValid), fc.array(text, { minLength: 1, maxLength: 4 }), (source, texts) => {
        const matcher = new PatternMatcher(source, new WorkBudget(Infinity));
        for (const each of texts)
          expect([source, each, matcher.isFoundIn(each)]).toEqual([source, each, new RegExp(source, 'u').test(each)]);
      }),
      { numRuns: 1_200, seed: 15 },
    );
  });

  it('needs no more work than states times characters', () => {
    const spent = (length: number): number => {
      const work = new WorkBudget(Infinity);
      new PatternMatcher('^(a+)+$', work).isFoundIn(`${'a'.repeat(length)}!`);
      return work.spent;
    };
    const [short, long] = [spent(1_000), spent(10_000)];
    expect(long).toBeLessThan(short * 11);
  });
});

describe('patternAutomaton', () => {
  it('[C79] takes exactly what the pattern takes, beyond ASCII as within it', () => {
    const plain = pattern.filter((source) => isValid(source) && !/\\[bB]|\(\?[=!<]/.test(source));
    fc.assert(
      fc.property(plain, fc.array(text, { minLength: 1, maxLength: 4 }), (source, texts) => {
        const work = new WorkBudget(Infinity);
        const automaton = patternAutomaton(source, work);
        for (const each of texts) {
          const found = new RegExp(source, 'u').test(each);
          expect([source, each, acceptsText(automaton, each, work)]).toEqual([source, each, found]);
        }
      }),
      { numRuns: 500, seed: 16 },
    );
  });
});
