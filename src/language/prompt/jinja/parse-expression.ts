/** Reads the expressions of a template, with Jinja's precedence. @module */
import type { CallArguments, Expression, FilterUse } from './nodes.js';
import type { TokenType } from './read-tokens.js';
import { TokenStream } from './token-stream.js';
import { Float } from './values.js';

const COMPARISONS = new Set(['==', '!=', '<', '<=', '>', '>=']);

/** What a test's value may begin with where it has no parentheses. */
const OPERANDS = new Set<TokenType>(['name', 'string', 'integer', 'float']);

/** Expressions within one another; a source that has more is hostile. */
const MAX_DEPTH = 500;

const NO_ARGUMENTS: CallArguments = { positional: [], names: [] };

export class ExpressionParser extends TokenStream {
  #depth = 0;

  expression(): Expression {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new SyntaxError('The expressions of the template are too deep.');
    const expression = this.#conditional();
    this.#depth -= 1;
    return expression;
  }

  /** One expression, or a tuple without parentheses. @param one reads an item */
  tuple(one: () => Expression = () => this.expression(), ends: readonly string[] = []): Expression {
    const items: Expression[] = [];
    let isTuple = false;
    while (!this.at('end') && !this.at('operator', ')', '=') && !(ends.length > 0 && this.at('name', ...ends))) {
      items.push(one());
      if (!this.skip('operator', ',')) break;
      isTuple = true;
    }
    if (!isTuple && items.length === 1) return items[0]!;
    return { kind: 'tuple', items };
  }

  /** What a loop goes through: `if` behind it belongs to the loop. */
  listOfLoop(): Expression {
    return this.tuple(() => this.#or(), ['recursive', 'if']);
  }

  #conditional(): Expression {
    let yes = this.#or();
    while (this.skip('name', 'if')) {
      const condition = this.#or();
      yes = { kind: 'conditional', condition, yes, no: this.skip('name', 'else') ? this.expression() : undefined };
    }
    return yes;
  }

  #or(): Expression {
    let left = this.#and();
    while (this.skip('name', 'or')) left = { kind: 'or', left, right: this.#and() };
    return left;
  }

  #and(): Expression {
    let left = this.#not();
    while (this.skip('name', 'and')) left = { kind: 'and', left, right: this.#not() };
    return left;
  }

  #not(): Expression {
    let negations = 0;
    while (this.at('name', 'not') && !this.isNext('name', 'in')) {
      this.next();
      negations += 1;
    }
    let operand = this.#compare();
    while (negations-- > 0) operand = { kind: 'unary', operator: 'not', operand };
    return operand;
  }

  #compare(): Expression {
    const first = this.#sum();
    const rest: [string, Expression][] = [];
    for (;;) {
      const operator = this.#comparison();
      if (operator === undefined) return rest.length === 0 ? first : { kind: 'compare', first, rest };
      rest.push([operator, this.#sum()]);
    }
  }

  #comparison(): string | undefined {
    if (this.token.type === 'operator' && COMPARISONS.has(this.token.text)) return this.next().text;
    if (this.skip('name', 'in')) return 'in';
    if (!this.at('name', 'not') || !this.isNext('name', 'in')) return undefined;
    this.next();
    this.next();
    return 'not in';
  }

  #sum(): Expression {
    return this.#binary(['+', '-'], () => this.#concat());
  }

  #concat(): Expression {
    const parts = [this.#product()];
    while (this.skip('operator', '~')) parts.push(this.#product());
    return parts.length === 1 ? parts[0]! : { kind: 'concat', parts };
  }

  #product(): Expression {
    return this.#binary(['*', '/', '//', '%'], () => this.#power());
  }

  #power(): Expression {
    return this.#binary(['**'], () => this.#unary({ withFilters: true }));
  }

  #binary(operators: readonly string[], operand: () => Expression): Expression {
    let left = operand();
    while (this.at('operator', ...operators)) {
      const operator = this.next().text;
      left = { kind: 'binary', operator, left, right: operand() };
    }
    return left;
  }

  #unary({ withFilters = false } = {}): Expression {
    let operand: Expression;
    if (this.at('operator', '-', '+')) {
      const operator = this.next().text as '-' | '+';
      operand = { kind: 'unary', operator, operand: this.#unary() };
    } else operand = this.#primary();
    operand = this.#postfix(operand);
    return withFilters ? this.#filtered(operand) : operand;
  }

  #primary(): Expression {
    const { type, text } = this.token;
    switch (type) {
      case 'name':
        this.next();
        return nameOrConstant(text);
      case 'string': {
        let joined = '';
        while (this.at('string')) joined += this.next().text;
        return { kind: 'constant', value: joined };
      }
      case 'integer':
        this.next();
        return { kind: 'constant', value: Number(text.replaceAll('_', '')) };
      case 'float':
        this.next();
        return { kind: 'constant', value: new Float(Number(text.replaceAll('_', ''))) };
      default:
        return this.#bracketed();
    }
  }

  #bracketed(): Expression {
    if (this.skip('operator', '(')) {
      const expression = this.at('operator', ')') ? ({ kind: 'tuple', items: [] } as const) : this.tuple();
      this.expect('operator', ')');
      return expression;
    }
    if (this.skip('operator', '[')) return { kind: 'list', items: this.#until(']', () => this.expression()) };
    this.expect('operator', '{');
    const entries = this.#until('}', () => {
      const key = this.expression();
      this.expect('operator', ':');
      return [key, this.expression()] as const;
    });
    return { kind: 'dictionary', entries };
  }

  #until<Item>(close: string, read: () => Item): Item[] {
    const items: Item[] = [];
    while (!this.at('operator', close)) {
      if (items.length > 0) {
        this.expect('operator', ',');
        if (this.at('operator', close)) break;
      }
      items.push(read());
    }
    this.expect('operator', close);
    return items;
  }

  #postfix(operand: Expression): Expression {
    let result = operand;
    for (;;) {
      if (this.skip('operator', '.')) result = this.#member(result);
      else if (this.skip('operator', '[')) result = this.#subscript(result);
      else if (this.at('operator', '(')) result = { kind: 'call', callee: result, args: this.arguments() };
      else return result;
    }
  }

  #member(object: Expression): Expression {
    if (!this.at('integer')) return { kind: 'attribute', object, name: this.expect('name') };
    return { kind: 'item', object, key: { kind: 'constant', value: Number(this.next().text) } };
  }

  #subscript(object: Expression): Expression {
    const bounds: (Expression | undefined)[] = [undefined];
    let isSlice = false;
    while (!this.at('operator', ']')) {
      if (this.skip('operator', ':')) {
        isSlice = true;
        bounds.push(undefined);
      } else bounds[bounds.length - 1] = this.tuple();
    }
    this.expect('operator', ']');
    if (isSlice) return { kind: 'slice', object, bounds };
    const [key] = bounds;
    if (!key) throw new SyntaxError('The template has an empty subscript.');
    return { kind: 'item', object, key };
  }

  #filtered(operand: Expression): Expression {
    let result = operand;
    for (;;) {
      if (this.at('operator', '|')) {
        for (const filter of this.filters()) result = { kind: 'filter', operand: result, filter };
      } else if (this.skip('name', 'is')) result = this.#test(result);
      else if (this.at('operator', '(')) result = { kind: 'call', callee: result, args: this.arguments() };
      else return result;
    }
  }

  /** `|a|b(c)` */
  filters(): FilterUse[] {
    const filters: FilterUse[] = [];
    while (this.skip('operator', '|')) filters.push(this.filter());
    return filters;
  }

  filter(): FilterUse {
    const name = this.expect('name');
    return { name, args: this.at('operator', '(') ? this.arguments() : NO_ARGUMENTS };
  }

  #test(operand: Expression): Expression {
    const negated = this.skip('name', 'not');
    const name = this.expect('name');
    const test: Expression = { kind: 'test', operand, test: { name, args: this.#testArguments() } };
    return negated ? { kind: 'unary', operator: 'not', operand: test } : test;
  }

  #testArguments(): CallArguments {
    if (this.at('operator', '(')) return this.arguments();
    const begins = OPERANDS.has(this.token.type) || this.at('operator', '[', '{');
    if (!begins || this.at('name', 'else', 'or', 'and', 'if', 'is')) return NO_ARGUMENTS;
    return { positional: [this.#postfix(this.#primary())], names: [] };
  }

  arguments(): CallArguments {
    const positional: Expression[] = [];
    const names: [string, Expression][] = [];
    let list: Expression | undefined;
    let dictionary: Expression | undefined;
    this.expect('operator', '(');
    this.#until(')', () => {
      if (this.skip('operator', '*')) list = this.expression();
      else if (this.skip('operator', '**')) dictionary = this.expression();
      else if (this.at('name') && this.isNext('operator', '=')) {
        const name = this.next().text;
        this.next();
        names.push([name, this.expression()]);
      } else positional.push(this.expression());
    });
    return { positional, names, list, dictionary };
  }
}

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
]);

function nameOrConstant(name: string): Expression {
  const value = CONSTANTS.get(name);
  return value === undefined ? { kind: 'name', name } : { kind: 'constant', value };
}
