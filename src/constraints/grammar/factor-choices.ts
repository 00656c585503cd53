/**
 * Rewrites choices so that no two options begin with the same character. The grammar engine merges options that begin
 * and end alike and then takes texts that none of them allows (of `25`, `5`, `0.25` and `0.5` it makes `0.225`); where
 * nothing begins alike, it has nothing to merge.
 * @module
 */
import { EMPTY, type Expression, characters, choice, isNever, literal, repeat, rule, sequence } from './expression.js';

/** The bodies of rules; only rules that refer to no others are looked into, as the engine does. */
export type RuleBodies = (name: string) => Expression | undefined;

/** Symbols: ASCII characters, 128 for all others together, and above that single characters beyond ASCII. */
const OTHERS = 0x80;

/** One way for a text to go on. */
type Head = { symbols: readonly number[]; rest: Expression } | { whole: Expression };

/** The same grammar with its choices factored, all the way down. */
export function factorChoices(expression: Expression, bodies: RuleBodies): Expression {
  switch (expression.type) {
    case 'sequence':
      return sequence(...expression.parts.map((part) => factorChoices(part, bodies)));
    case 'repeat':
      return repeat(factorChoices(expression.part, bodies), expression.min, expression.max);
    case 'choice':
      return factor(expression.options, bodies);
    default:
      return expression;
  }
}

/** True when the expression refers to no rule. */
export function isFlat(expression: Expression): boolean {
  switch (expression.type) {
    case 'literal':
    case 'characters':
      return true;
    case 'sequence':
      return expression.parts.every(isFlat);
    case 'choice':
      return expression.options.every(isFlat);
    case 'repeat':
      return isFlat(expression.part);
    default:
      return false;
  }
}

function factor(options: readonly Expression[], bodies: RuleBodies): Expression {
  if (options.length < 2) return choice(...options.map((option) => factorChoices(option, bodies)));
  const heads = options.flatMap((option) => headsOf([option], bodies));
  const takers = new Map<number, number[]>();
  heads.forEach((head, index) => {
    for (const symbol of 'symbols' in head ? head.symbols : [])
      takers.set(symbol, [...(takers.get(symbol) ?? []), index]);
  });
  if ([...takers.values()].every((each) => each.length === 1)) {
    return choice(...options.map((option) => factorChoices(option, bodies)));
  }
  const groups = new Map<string, { symbols: number[]; indexes: number[] }>();
  for (const [symbol, indexes] of takers) {
    const key = symbol > OTHERS ? `one ${symbol}` : indexes.join(' ');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { symbols: [symbol], indexes });
    else group.symbols.push(symbol);
  }
  const factored = [...groups.values()].map(({ symbols, indexes }) => {
    const rests = indexes.flatMap((index) => {
      const head = heads[index];
      return head !== undefined && 'rest' in head ? [head.rest] : [];
    });
    return sequence(spell(symbols), factor(withoutDoubles(rests), bodies));
  });
  const whole = heads.flatMap((head) => ('whole' in head ? [factorChoices(head.whole, bodies)] : []));
  return choice(...factored, ...withoutDoubles(whole));
}

/** The ways in which the parts, one after another, begin. */
function headsOf(parts: readonly Expression[], bodies: RuleBodies): Head[] {
  const [first, ...others] = parts;
  if (first === undefined) return [{ whole: EMPTY }];
  const after = (...before: Expression[]): Expression => sequence(...before, ...others);
  switch (first.type) {
    case 'literal': {
      const [character, ...more] = first.text;
      if (character === undefined) return headsOf(others, bodies);
      const code = character.codePointAt(0) ?? 0;
      return [{ symbols: [code >= OTHERS ? code + 1 : code], rest: after(literal(more.join(''))) }];
    }
    case 'characters':
      return [{ symbols: symbolsOf(first), rest: after() }];
    case 'sequence':
      return headsOf([...first.parts, ...others], bodies);
    case 'choice':
      return first.options.flatMap((option) => headsOf([option, ...others], bodies));
    case 'repeat': {
      if (!isFlat(first.part) || canBeEmpty(first.part)) return [{ whole: after(first) }];
      const { part, min, max } = first;
      const once = headsOf(
        [part, repeat(part, Math.max(0, min - 1), max === undefined ? undefined : max - 1), ...others],
        bodies,
      );
      return min > 0 ? once : [...once, ...headsOf(others, bodies)];
    }
    case 'rule': {
      const body = bodies(first.name);
      return body !== undefined && isFlat(body)
        ? headsOf([body, ...others], bodies)
        : [{ whole: after(rule(first.name)) }];
    }
    default:
      return [{ whole: after(first) }];
  }
}

function canBeEmpty(expression: Expression): boolean {
  switch (expression.type) {
    case 'literal':
      return expression.text === '';
    case 'sequence':
      return expression.parts.every(canBeEmpty);
    case 'choice':
      return expression.options.some(canBeEmpty);
    case 'repeat':
      return expression.min === 0 || canBeEmpty(expression.part);
    default:
      return false;
  }
}

function symbolsOf({ ranges }: { ranges: readonly (readonly [number, number])[] }): number[] {
  const symbols: number[] = [];
  for (let symbol = 0; symbol <= OTHERS; symbol += 1) {
    if (ranges.some(([first, last]) => first <= symbol && (symbol < OTHERS ? symbol <= last : last === 0x10_ffff)))
      symbols.push(symbol);
  }
  return symbols;
}

function spell(symbols: readonly number[]): Expression {
  const [only = 0, ...more] = symbols;
  if (more.length === 0 && only !== OTHERS) return literal(String.fromCodePoint(only > OTHERS ? only - 1 : only));
  return characters(
    ...symbols.map((symbol): [number, number] => (symbol === OTHERS ? [OTHERS, 0x10_ffff] : [symbol, symbol])),
  );
}

function withoutDoubles(expressions: readonly Expression[]): Expression[] {
  const known = new Map<string, Expression>();
  for (const expression of expressions) if (!isNever(expression)) known.set(JSON.stringify(expression), expression);
  return [...known.values()];
}
