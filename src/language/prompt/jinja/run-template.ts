/** Runs the statements of a template as Python's Jinja does, within bounds of time and size. @module */
import type { Budget } from './budget.js';
import { CallableNamespace, ExpressionEvaluator } from './evaluate-expression.js';
import type { FilterUse, Loop, Macro, Statement, Target } from './nodes.js';
import { Scope } from './scope.js';
import { type Given, isEqual, isTrue, itemsOf, Namespace, TemplateError, Tuple, type Value } from './values.js';
import { textOf } from './write-values.js';

/** How a list of statements ended: of itself, or at a word that leaves the pass or the loop. */
type Ending = 'end' | 'break' | 'continue';

/** @returns what the template writes @throws as {@link ExpressionEvaluator.evaluate} */
export function runTemplate(statements: readonly Statement[], variables: Scope, budget: Budget): string {
  return new TemplateRun(budget).written(statements, new Scope(variables));
}

class TemplateRun {
  readonly #budget: Budget;
  readonly #expressions: ExpressionEvaluator;
  #output: string[] = [];

  constructor(budget: Budget) {
    this.#budget = budget;
    this.#expressions = new ExpressionEvaluator(budget);
  }

  /** What statements write, in a text of its own. */
  written(statements: readonly Statement[], scope: Scope): string {
    const before = this.#output;
    this.#output = [];
    try {
      this.#run(statements, scope);
      return this.#output.join('');
    } finally {
      this.#output = before;
    }
  }

  #write(text: string): void {
    this.#budget.write(text.length);
    this.#output.push(text);
  }

  #run(statements: readonly Statement[], scope: Scope): Ending {
    for (const statement of statements) {
      const ending = this.#statement(statement, scope);
      if (ending !== 'end') return ending;
    }
    return 'end';
  }

  #statement(node: Statement, scope: Scope): Ending {
    switch (node.kind) {
      case 'text':
        this.#write(node.text);
        return 'end';
      case 'output':
        this.#write(textOf(this.#expressions.evaluate(node.expression, scope)));
        return 'end';
      case 'if': {
        const holds = isTrue(this.#expressions.evaluate(node.condition, scope));
        return this.#run(holds ? node.body : node.otherwise, scope);
      }
      case 'for':
        this.#for(node, this.#expressions.evaluate(node.list, scope), scope, 0);
        return 'end';
      case 'break':
      case 'continue':
        return node.kind;
      case 'group':
        return this.#run(node.body, new Scope(scope));
      default:
        this.#assignment(node, scope);
        return 'end';
    }
  }

  #assignment(
    node: Extract<Statement, { kind: 'set' | 'set-block' | 'macro' | 'call-block' | 'filter-block' | 'with' | 'do' }>,
    scope: Scope,
  ): void {
    switch (node.kind) {
      case 'set':
        return assign(node.target, this.#expressions.evaluate(node.value, scope), scope);
      case 'set-block':
        return assign(node.target, this.#captured(node, scope), scope);
      case 'macro':
        return scope.set(node.macro.name, this.#macro(node.macro, scope));
      case 'call-block': {
        if (node.call.kind !== 'call') throw new TemplateError('a call block needs a call');
        const inner = new Scope(scope);
        inner.set('caller', this.#macro(node.macro, scope));
        const caller = ['caller', { kind: 'name', name: 'caller' }] as const;
        const { args } = node.call;
        const call = { ...node.call, args: { ...args, names: [...args.names, caller] } };
        return this.#write(textOf(this.#expressions.evaluate(call, inner)));
      }
      case 'filter-block':
        return this.#write(textOf(this.#captured(node, scope)));
      case 'with': {
        const inner = new Scope(scope);
        for (const [target, value] of node.values) assign(target, this.#expressions.evaluate(value, scope), inner);
        this.#run(node.body, inner);
        return;
      }
      default:
        this.#expressions.evaluate(node.expression, scope);
    }
  }

  #captured({ body, filters }: { body: readonly Statement[]; filters: readonly FilterUse[] }, scope: Scope): Value {
    const text: Value = this.written(body, new Scope(scope));
    return filters.reduce<Value>((value, filter) => this.#expressions.filtered(value, filter, scope), text);
  }

  /** @param scope where the macro stands: it sees the names there, not those where it is called */
  #macro({ name, parameters, body }: Macro, scope: Scope): (given: Given) => Value {
    return ({ positional, names }) =>
      this.#budget.deeper(() => {
        this.#budget.pass();
        const inner = new Scope(scope);
        const known = new Set(parameters.map((parameter) => parameter.name));
        if (name !== 'caller') inner.set('caller', names.get('caller'));
        const more = [...names].filter(([key]) => !known.has(key) && key !== 'caller');
        inner.set('kwargs', new Map<Value, Value>(more));
        inner.set('varargs', Tuple.from(positional.slice(parameters.length)));
        for (const [index, { name: parameter, otherwise }] of parameters.entries()) {
          const isGiven = index < positional.length || names.has(parameter);
          const given = index < positional.length ? positional[index] : names.get(parameter);
          inner.set(parameter, isGiven || !otherwise ? given : this.#expressions.evaluate(otherwise, inner));
        }
        return this.written(body, inner);
      });
  }

  #for(node: Loop, list: Value, scope: Scope, depth: number): void {
    const items = this.#chosen(node, list, scope);
    if (items.length === 0) {
      this.#run(node.otherwise, new Scope(scope));
      return;
    }
    const state: { changed: readonly Value[] | undefined } = { changed: undefined };
    for (const index of items.keys()) {
      this.#budget.pass();
      const inner = new Scope(scope);
      inner.set(
        'loop',
        this.#loop(items, { index, depth, state, again: (value) => this.#again(node, value, inner, depth) }, node),
      );
      assign(node.target, items[index], inner);
      if (this.#run(node.body, inner) === 'break') return;
    }
  }

  #again(node: Loop, list: Value, scope: Scope, depth: number): string {
    const before = this.#output;
    this.#output = [];
    try {
      this.#budget.deeper(() => this.#for(node, list, scope, depth + 1));
      return this.#output.join('');
    } finally {
      this.#output = before;
    }
  }

  #chosen({ condition, target }: Loop, list: Value, scope: Scope): readonly Value[] {
    const items = itemsOf(list);
    if (!condition) return items;
    return Array.from(items).filter((item) => {
      this.#budget.pass();
      const inner = new Scope(scope);
      assign(target, item, inner);
      return isTrue(this.#expressions.evaluate(condition, inner));
    });
  }

  #loop(items: readonly Value[], { index, depth, state, again }: Pass, { recursive }: Loop): Namespace {
    const fields = new Map<string, Value>([
      ['index', index + 1],
      ['index0', index],
      ['revindex', items.length - index],
      ['revindex0', items.length - index - 1],
      ['first', index === 0],
      ['last', index === items.length - 1],
      ['length', items.length],
      ['previtem', items[index - 1]],
      ['nextitem', items[index + 1]],
      ['depth', depth + 1],
      ['depth0', depth],
      ['cycle', ({ positional }: Given) => positional[index % positional.length]],
      ['changed', ({ positional }: Given) => hasChanged(state, positional)],
    ]);
    return recursive ? new CallableNamespace(fields, ({ positional: [list] }) => again(list)) : new Namespace(fields);
  }
}

interface Pass {
  index: number;
  depth: number;
  state: { changed: readonly Value[] | undefined };
  /** Runs the loop within itself. */
  again: (list: Value) => string;
}

function hasChanged(state: Pass['state'], values: readonly Value[]): boolean {
  const changed = state.changed === undefined || !isEqual(state.changed, values);
  state.changed = values;
  return changed;
}

/** @throws TemplateError when a value cannot be given to the target */
function assign(target: Target, value: Value, scope: Scope): void {
  if (target.kind === 'name') return scope.set(target.name, value);
  if (target.kind === 'field') {
    const namespace = scope.get(target.namespace);
    if (!(namespace instanceof Namespace)) throw new TemplateError('cannot assign attribute on non-namespace object');
    namespace.fields.set(target.name, value);
    return;
  }
  const items = itemsOf(value);
  if (items.length !== target.targets.length)
    throw new TemplateError(`${items.length} values cannot be given to ${target.targets.length} names`);
  for (const [index, each] of target.targets.entries()) assign(each, items[index], scope);
}
