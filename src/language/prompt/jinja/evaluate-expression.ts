/** Evaluates the expressions of a template. @module */
import type { Budget } from './budget.js';
import type { FilterTools } from './filter.js';
import { FILTERS } from './filters.js';
import { Members } from './members.js';
import type { CallArguments, Expression, FilterUse } from './nodes.js';
import { calculate, holds } from './operators.js';
import type { Scope } from './scope.js';
import { TESTS } from './tests.js';
import {
  Float,
  type Given,
  isDictionary,
  isTrue,
  itemsOf,
  keyOf,
  Namespace,
  numberOf,
  TemplateError,
  Tuple,
  typeName,
  type Value,
} from './values.js';
import { textOf } from './write-values.js';

/** A value that can be called like a function and has fields, as the `loop` of recursive loops. */
export class CallableNamespace extends Namespace {
  readonly call: (given: Given) => Value;
  constructor(fields: Map<string, Value>, call: (given: Given) => Value) {
    super(fields);
    this.call = call;
  }
}

export class ExpressionEvaluator {
  readonly #budget: Budget;
  readonly #members: Members;
  readonly #tools: FilterTools;

  constructor(budget: Budget) {
    this.#budget = budget;
    this.#members = new Members(budget);
    this.#tools = {
      budget,
      members: this.#members,
      filtered: (name, value, given) => this.#filtered(name, value, given),
      holds: (name, value, given) => this.#holds(name, value, given),
    };
  }

  /** @throws InferenceError when the budget is spent; TemplateError, and what called functions throw */
  evaluate(expression: Expression, scope: Scope): Value {
    this.#budget.step();
    const value = this.#evaluate(expression, scope);
    if (typeof value === 'string') this.#budget.characters(value.length);
    else if (Array.isArray(value)) this.#budget.items(value.length);
    return value;
  }

  #evaluate(node: Expression, scope: Scope): Value {
    switch (node.kind) {
      case 'constant':
        return node.value;
      case 'name':
        return scope.get(node.name);
      case 'list':
        return node.items.map((item) => this.evaluate(item, scope));
      case 'tuple':
        return Tuple.from(node.items.map((item) => this.evaluate(item, scope)));
      case 'dictionary':
        return new Map(
          node.entries.map(([key, item]) => [keyOf(this.evaluate(key, scope)), this.evaluate(item, scope)]),
        );
      case 'attribute': {
        const object = this.#defined(node.object, scope);
        // Its methods go through it.
        this.#budget.work(costOf(object));
        return this.#members.attribute(object, node.name);
      }
      case 'item':
        return this.#members.item(this.#defined(node.object, scope), this.evaluate(node.key, scope));
      case 'slice':
        return this.#members.slice(
          this.#defined(node.object, scope),
          node.bounds.map((bound) => bound && this.evaluate(bound, scope)),
        );
      case 'call':
        return this.#call(node.callee, node.args, scope);
      case 'filter':
        return this.filtered(this.evaluate(node.operand, scope), node.filter, scope);
      case 'test':
        return this.#holds(node.test.name, this.evaluate(node.operand, scope), this.#given(node.test.args, scope));
      case 'conditional':
        if (isTrue(this.evaluate(node.condition, scope))) return this.evaluate(node.yes, scope);
        return node.no && this.evaluate(node.no, scope);
      default:
        return this.#operation(node, scope);
    }
  }

  #operation(
    node: Extract<Expression, { kind: 'unary' | 'binary' | 'compare' | 'concat' | 'and' | 'or' }>,
    scope: Scope,
  ): Value {
    switch (node.kind) {
      case 'and':
      case 'or': {
        const left = this.evaluate(node.left, scope);
        return isTrue(left) === (node.kind === 'and') ? this.evaluate(node.right, scope) : left;
      }
      case 'binary':
        return calculate(
          node.operator,
          this.evaluate(node.left, scope),
          this.evaluate(node.right, scope),
          this.#budget,
        );
      case 'concat': {
        const parts = node.parts.map((part) => textOf(this.evaluate(part, scope)));
        this.#budget.characters(parts.reduce((sum, part) => sum + part.length, 0));
        return parts.join('');
      }
      case 'compare': {
        let left = this.evaluate(node.first, scope);
        for (const [operator, operand] of node.rest) {
          const right = this.evaluate(operand, scope);
          this.#budget.work(costOf(left) + costOf(right));
          if (!holds(operator, left, right)) return false;
          left = right;
        }
        return true;
      }
      default:
        return this.#unary(node.operator, this.evaluate(node.operand, scope));
    }
  }

  #unary(operator: 'not' | '-' | '+', value: Value): Value {
    if (operator === 'not') return !isTrue(value);
    const number = numberOf(value);
    if (number === undefined) throw new TemplateError(`bad operand type for unary ${operator}: '${typeName(value)}'`);
    const signed = operator === '-' ? 0 - number : number;
    return value instanceof Float ? new Float(signed) : signed;
  }

  /** What a member is asked for. @throws TemplateError that names it when it is undefined */
  #defined(expression: Expression, scope: Scope): Value {
    const value = this.evaluate(expression, scope);
    if (value === undefined) throw new TemplateError(`${nameOf(expression)} is undefined`);
    return value;
  }

  #call(callee: Expression, args: CallArguments, scope: Scope): Value {
    const called = this.evaluate(callee, scope);
    const given = this.#given(args, scope);
    if (typeof called === 'function') return called(given);
    if (called instanceof CallableNamespace) return called.call(given);
    if (called === undefined) throw new TemplateError(`${nameOf(callee)} is undefined`);
    throw new TemplateError(`'${typeName(called)}' object is not callable`);
  }

  #given({ positional, names, list, dictionary }: CallArguments, scope: Scope): Given {
    const all = positional.map((each) => this.evaluate(each, scope));
    if (list) all.push(...itemsOf(this.evaluate(list, scope)));
    const named = new Map(names.map(([name, value]) => [name, this.evaluate(value, scope)]));
    const more = dictionary && this.evaluate(dictionary, scope);
    if (isDictionary(more)) for (const [name, value] of more) named.set(textOf(name), value);
    return { positional: all, names: named };
  }

  /** A value through a filter. */
  filtered(value: Value, { name, args }: FilterUse, scope: Scope): Value {
    return this.#filtered(name, value, this.#given(args, scope));
  }

  #filtered(name: string, value: Value, given: Given): Value {
    const filter = FILTERS.get(name);
    if (!filter) throw new TemplateError(`No filter named '${name}'.`);
    this.#budget.work(FILTER_WORK * costOf(value));
    return filter(value, given, this.#tools);
  }

  #holds(name: string, value: Value, given: Given): boolean {
    if (name === 'filter') return FILTERS.has(textOf(value));
    if (name === 'test') return TESTS.has(textOf(value));
    const test = TESTS.get(name);
    if (!test) throw new TemplateError(`No test named '${name}'.`);
    this.#budget.work(costOf(value) + given.positional.reduce<number>((sum, each) => sum + costOf(each), 0));
    return test(value, given);
  }
}

/** Expressions as many as a filter's work on one item: it may sort them. */
const FILTER_WORK = 4;

/** Characters that are gone through in the time of one expression. */
const CHARACTERS_PER_STEP = 64;

/** What it takes to go through a value, in expressions. */
function costOf(value: Value): number {
  if (typeof value === 'string') return 1 + value.length / CHARACTERS_PER_STEP;
  if (Array.isArray(value)) return 1 + value.length;
  return value instanceof Map ? 1 + value.size : 1;
}

function nameOf(expression: Expression): string {
  if (expression.kind === 'name' || expression.kind === 'attribute') return `'${expression.name}'`;
  if (expression.kind === 'item' && expression.key.kind === 'constant') return `'${textOf(expression.key.value)}'`;
  return 'a value';
}
