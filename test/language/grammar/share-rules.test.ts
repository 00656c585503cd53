import { describe, expect, it } from 'vitest';
import {
  characters,
  choice,
  literal,
  repeat,
  rule,
  sequence,
  type Expression,
} from '../../../src/language/grammar/expression.js';
import { GrammarRules } from '../../../src/language/grammar/grammar-rules.js';
import { preparedStates } from '../../../src/language/grammar/prepared-states.js';
import { shareRules } from '../../../src/language/grammar/share-rules.js';
import { WorkBudget } from '../../../src/core/schema/limits/work-budget.js';

const digits = (max?: number) => repeat(characters([0x30, 0x39]), 0, max);

describe('shareRules', () => {
  it('makes one of rules that say the same, and of those that refer to them', () => {
    const rules = new Map([
      ['root', choice(sequence(literal('a'), rule('r1')), sequence(literal('b'), rule('r2')))],
      ['r1', sequence(literal('x'), rule('r3'))],
      ['r2', sequence(literal('x'), rule('r4'))],
      ['r3', digits()],
      ['r4', digits()],
    ]);
    const shared = shareRules(rules, 'root', new WorkBudget());
    expect([...shared.keys()]).toEqual(['root', 'r1', 'r3']);
    expect(shared.get('root')).toEqual(choice(sequence(literal('a'), rule('r1')), sequence(literal('b'), rule('r1'))));
  });

  it('keeps rules that differ, and the root whatever it says', () => {
    const rules = new Map([
      ['root', sequence(literal('x'), rule('r1'))],
      ['r1', choice(literal('y'), sequence(literal('x'), rule('r1')))],
      ['r2', digits(3)],
    ]);
    expect([...shareRules(rules, 'root', new WorkBudget()).keys()]).toEqual(['root', 'r1', 'r2']);
  });

  it('leaves one option of several that become the same', () => {
    const rules = new Map([
      ['root', sequence(literal('{'), choice(rule('r1'), rule('r2')))],
      ['r1', digits()],
      ['r2', digits()],
    ]);
    expect(shareRules(rules, 'root', new WorkBudget()).get('root')).toEqual(sequence(literal('{'), rule('r1')));
  });

  it('costs work, which is counted', () => {
    const rules = new Map([['root', literal('x'.repeat(10_000))]]);
    expect(() => shareRules(rules, 'root', new WorkBudget(1_000))).toThrow('too much work');
  });
});

describe('preparedStates', () => {
  it('counts what is written out', () => {
    expect(preparedStates(literal('four'))).toBe(4);
    expect(preparedStates(sequence(literal('ab'), digits(14), rule('r1')))).toBe(2 + 14 + 1);
    expect(preparedStates(digits())).toBe(1);
    expect(preparedStates(digits(1_000_000))).toBeLessThan(1_000);
    expect(preparedStates(rule('r1'))).toBe(1);
  });

  it('weighs places where much may follow', () => {
    const [all, letters, some] = [characters([0, 0x10_ffff]), characters([0x61, 0x7a]), characters([0x30, 0x39])];
    expect(preparedStates(all)).toBeGreaterThan(2 * preparedStates(letters));
    expect(preparedStates(letters)).toBeGreaterThan(10 * preparedStates(some));
  });

  it('bounds a grammar, and what it forces', () => {
    const rules = new GrammarRules(new WorkBudget());
    const words = Array.from({ length: 1_000 }, (_, index) => literal(`${index}${'ab'.repeat(30)}`));
    expect(rules.toEbnf(choice(...words.slice(0, 500)))).toBeDefined();
    expect(() => rules.toEbnf(choice(...words))).toThrow('too large');
    const hundreds = (part: Expression): Expression => rules.add(repeat(part, 400, 400));
    expect(rules.toEbnf(hundreds(hundreds(literal('x'))))).toBeDefined();
    expect(() => rules.toEbnf(hundreds(hundreds(literal('xy'))))).toThrow('without an end');
  });
});
