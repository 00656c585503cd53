/**
 * Rewrites choices so that no two options begin with the same character. The grammar engine merges options that begin and
 * end alike. It then takes texts that no option allows: with `25`, `5`, `0.25` and `0.5` it takes `0.225`. Where no two
 * options begin alike, it merges nothing.
 * @module
 */
import { SchemaProblem } from '../../core/schema/limits/schema-problem.js';
import type { WorkBudget } from '../../core/schema/limits/work-budget.js';
import { EMPTY, type Expression, characters, choice, isNever, literal, repeat, sequence } from './expression.js';

/** The bodies of rules; only rules that refer to no others are looked into, as the engine does. */
export type RuleBodies = (name: string) => Expression | undefined;

/** Symbols: ASCII characters, 128 for all others together, and above that single characters beyond ASCII. */
const OTHERS = 0x80;

/** Choices inside each other that one choice may become; the engine's reader goes no deeper. */
const MAX_DEPTH = 500;

/** One way for a text to go on. */
type Head =
  /** With one of the symbols; `text`: with all of this text, of which the first character is the symbol. */
  | { symbols: readonly number[]; rest: Expression; text?: string; others?: readonly Expression[] }
  | { whole: Expression };

/** Factors the choices of one grammar. */
export class ChoiceFactoring {
  readonly #bodies: RuleBodies;
  readonly #work: WorkBudget;
  readonly #flat = new Map<string, Expression | undefined>();
  #depth = 0;

  constructor(bodies: RuleBodies, work: WorkBudget) {
    this.#bodies = bodies;
    this.#work = work;
  }

  /**
   * The same grammar with its choices factored, all the way down.
   * @throws SchemaProblem when that is too much work
   */
  factor(expression: Expression): Expression {
    switch (expression.type) {
      case 'sequence':
        return sequence(...expression.parts.map((part) => this.factor(part)));
      case 'repeat':
        return repeat(this.factor(expression.part), expression.min, expression.max);
      case 'choice':
        return this.#choice(expression.options);
      default:
        return expression;
    }
  }

  #choice(options: readonly Expression[]): Expression {
    if (options.length < 2) return choice(...options.map((option) => this.factor(option)));
    const heads = options.flatMap((option) => this.#headsOf([option]));
    const takers = new Map<number, number[]>();
    heads.forEach((head, index) => {
      if (!('symbols' in head)) return;
      this.#work.spend(2 + head.symbols.length);
      for (const symbol of head.symbols) {
        const known = takers.get(symbol);
        if (known === undefined) takers.set(symbol, [index]);
        else known.push(index);
      }
    });
    if ([...takers.values()].every((each) => each.length === 1)) {
      return choice(...options.map((option) => this.factor(option)));
    }
    if (this.#depth >= MAX_DEPTH) throw new SchemaProblem('is too complex');
    this.#depth += 1;
    const factored = this.#groupsOf(takers).map(({ symbols, indexes }) =>
      this.#group(
        symbols,
        indexes.flatMap((index) => heads[index] ?? []),
      ),
    );
    const whole = heads.flatMap((head) => ('whole' in head ? [this.factor(head.whole)] : []));
    this.#depth -= 1;
    return choice(...factored, ...this.#withoutDoubles(whole));
  }

  /** Symbols that the same heads take. */
  #groupsOf(takers: ReadonlyMap<number, number[]>): { symbols: number[]; indexes: number[] }[] {
    const groups = new Map<string, { symbols: number[]; indexes: number[] }>();
    for (const [symbol, indexes] of takers) {
      this.#work.spend(indexes.length);
      const key = symbol > OTHERS ? `one ${symbol}` : indexes.join(' ');
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { symbols: [symbol], indexes });
      else group.symbols.push(symbol);
    }
    return [...groups.values()];
  }

  /** Heads that begin alike: their beginning, and then a choice of what follows. */
  #group(symbols: readonly number[], heads: readonly Head[]): Expression {
    const texts = heads.flatMap((head) => ('text' in head && head.text !== undefined ? [head.text] : []));
    if (texts.length < heads.length) {
      const rests = heads.flatMap((head) => ('rest' in head ? [head.rest] : []));
      return sequence(spell(symbols), this.#choice(this.#withoutDoubles(rests)));
    }
    // All begin with texts: their common beginning is taken at once.
    const length = this.#sharedLength(texts);
    const rests = heads.flatMap((head) =>
      'others' in head && head.text !== undefined
        ? [sequence(literal(head.text.slice(length)), ...(head.others ?? []))]
        : [],
    );
    return sequence(literal(texts[0]!.slice(0, length)), this.#choice(this.#withoutDoubles(rests)));
  }

  /** Characters that all texts begin with, at least one, and not the half of one. */
  #sharedLength(texts: readonly string[]): number {
    const [first = '', ...others] = texts;
    let length = first.length;
    for (const text of others) {
      let same = 0;
      while (same < length && first[same] === text[same]) same += 1;
      this.#work.spend(1 + (same >>> 2));
      length = same;
    }
    const last = first.charCodeAt(length - 1);
    return last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
  }

  /** The ways in which the parts, one after another, begin. */
  #headsOf(parts: readonly Expression[]): Head[] {
    this.#work.spend(4 + 2 * parts.length);
    const [first, ...others] = parts;
    if (first === undefined) return [{ whole: EMPTY }];
    switch (first.type) {
      case 'literal': {
        const code = first.text.codePointAt(0);
        if (code === undefined) return this.#headsOf(others);
        const rest = sequence(literal(first.text.slice(code > 0xffff ? 2 : 1)), ...others);
        return [{ symbols: [code >= OTHERS ? code + 1 : code], rest, text: first.text, others }];
      }
      case 'characters':
        return [{ symbols: listSymbols(first), rest: sequence(...others) }];
      case 'sequence':
        return this.#headsOf([...first.parts, ...others]);
      case 'choice':
        return first.options.flatMap((option) => this.#headsOf([option, ...others]));
      case 'repeat': {
        if (!isFlat(first.part) || canBeEmpty(first.part)) return [{ whole: sequence(first, ...others) }];
        const { part, min, max } = first;
        const once = this.#headsOf([
          part,
          repeat(part, Math.max(0, min - 1), max === undefined ? undefined : max - 1),
          ...others,
        ]);
        return min > 0 ? once : [...once, ...this.#headsOf(others)];
      }
      case 'rule': {
        const body = this.#flatBody(first.name);
        return body === undefined ? [{ whole: sequence(first, ...others) }] : this.#headsOf([body, ...others]);
      }
      default:
        return [{ whole: sequence(first, ...others) }];
    }
  }

  /** The body of a rule that refers to no others. */
  #flatBody(name: string): Expression | undefined {
    if (!this.#flat.has(name)) {
      const body = this.#bodies(name);
      this.#flat.set(name, body !== undefined && isFlat(body) ? body : undefined);
    }
    return this.#flat.get(name);
  }

  #withoutDoubles(expressions: readonly Expression[]): Expression[] {
    const known = new Map<string, Expression>();
    for (const expression of expressions) {
      if (isNever(expression)) continue;
      const key = expression.type === 'literal' ? `"${expression.text}` : JSON.stringify(expression);
      this.#work.spend(1 + (key.length >>> 5));
      known.set(key, expression);
    }
    return [...known.values()];
  }
}

/** True when the expression refers to no rule. */
function isFlat(expression: Expression): boolean {
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

function listSymbols({ ranges }: { ranges: readonly (readonly [number, number])[] }): number[] {
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
