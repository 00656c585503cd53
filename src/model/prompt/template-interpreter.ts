/** Runs the syntax tree of a template as Python's Jinja would, within bounds of time and size. @module */
import { type Environment, Interpreter } from '@huggingface/jinja';
import { InferenceError } from '../../core/errors/inference-error.js';
import { itemsOf, plain, pythonText, type Value } from './python-values.js';
import { formatFields, formatPercent, roundEven, TEXT_METHODS } from './python-text.js';

type Statement = Parameters<Interpreter['evaluate']>[0];

/** Kinds of nodes that {@link TemplateInterpreter} knows besides the library's. */
export type OwnNode =
  /** The text of the value as Python writes it. */
  | { type: 'Text'; value: object }
  /** The values of a list as text, one behind the other, with a text between them. */
  | { type: 'Joined'; value: object; separator: object | undefined }
  /** A key of an object; those that are integers become text. */
  | { type: 'Key'; value: object }
  /** What is asked for by a key that is first computed. */
  | { type: 'Item'; object: object; property: object }
  /** What a loop goes through, with tuples as lists. */
  | { type: 'Items'; value: object }
  /** A method that the library's texts and lists lack. @param call as the library knows it */
  | { type: 'Method'; object: object; name: string; args: readonly object[]; call: object }
  /** `%` and `*`, also of texts and lists. */
  | { type: 'Arithmetic'; node: { left: object; right: object }; operator: '%' | '*' }
  /** The filter `format`. */
  | { type: 'FormatFilter'; value: object; args: readonly object[] }
  | { type: 'RoundFilter'; value: object; digits: object | undefined }
  /** Each item through the filter of this name. */
  | { type: 'MapFilter'; value: object; name: string; args: readonly object[] }
  /** The items that a test holds for, or does not; of an attribute of theirs. */
  | {
      type: 'SelectFilter';
      value: object;
      attribute: object | undefined;
      test: object | undefined;
      given: object | undefined;
      negated: boolean;
    }
  /** `in` and `not in`. */
  | { type: 'Membership'; node: { left: object; right: object } }
  /** Stands at the beginning of what may be run again and again. */
  | { type: 'Pass' };

/** A value that is known already, in place of an expression. */
interface Known {
  type: 'Known';
  value: Value;
}

/** Passes through the bodies of loops and macros in one rendering. Conversations of thousands of messages need fewer. */
const MAX_PASSES = 200_000;

/** Items of a list: for more no loop has time. */
const MAX_ITEMS = MAX_PASSES;

/** Milliseconds of one rendering. Prompts of a hundred thousand tokens take a small part of one second. */
const MAX_RENDER_MS = 10_000;

/** Evaluated nodes between two looks at the clock. */
const CLOCK_INTERVAL = 4_096;

/** One rendering. */
export class TemplateInterpreter extends Interpreter {
  readonly #maxCharacters: number;
  readonly #deadline = performance.now() + MAX_RENDER_MS;
  #passes = 0;
  #nodes = 0;

  /** @param maxCharacters of any text that the template makes */
  constructor(environment: Environment, maxCharacters: number) {
    super(environment);
    this.#maxCharacters = maxCharacters;
  }

  /** @throws InferenceError `invalid_request` for a template that loops or grows without end; Error of Jinja's */
  override evaluate(statement: Statement, environment: Environment): Value {
    this.#nodes += 1;
    if (this.#nodes % CLOCK_INTERVAL === 0 && performance.now() > this.#deadline) throw tooMuch('run for too long');
    const value = this.#evaluate(statement as OwnNode | Known, environment);
    const { value: plain } = value as { value: unknown };
    if (typeof plain === 'string' && plain.length > this.#maxCharacters) throw tooMuch('write too much');
    if (Array.isArray(plain) && plain.length > MAX_ITEMS) throw tooMuch('loop too often');
    return value;
  }

  #evaluate(node: OwnNode | Known | undefined, environment: Environment): Value {
    const valueOf = (expression: object): Value => this.evaluate(expression as Statement, environment);
    const library = (statement: object | undefined): Value => super.evaluate(statement as Statement, environment);
    switch (node?.type) {
      case 'Known':
        return node.value;
      case 'Pass':
        this.#passes += 1;
        if (this.#passes > MAX_PASSES) throw tooMuch('loop too often');
        return library(undefined);
      case 'Text':
        return library(text(pythonText(valueOf(node.value))));
      case 'Joined': {
        const items = itemsOf(valueOf(node.value)).map(pythonText);
        return library(text(items.join(node.separator ? pythonText(valueOf(node.separator)) : '')));
      }
      case 'Key':
        return this.#key(valueOf(node.value), environment);
      case 'Item': {
        const [object, property] = [valueOf(node.object), valueOf(node.property)];
        const key = isObject(object) ? this.#key(property, environment) : property;
        return library({ type: 'MemberExpression', computed: true, object: known(object), property: known(key) });
      }
      case 'Items':
        return this.#items(valueOf(node.value), environment);
      case 'Method': {
        const object = valueOf(node.object);
        const args = node.args.map((each) => each as { type: string; key?: { value: string }; value?: object });
        const plainOf = (each: object): string | number => plain(valueOf(each));
        if (typeof object.value === 'string') {
          const places = args.filter(({ type }) => type !== 'KeywordArgumentExpression');
          if (node.name !== 'format')
            return this.#value(
              TEXT_METHODS[node.name]!(
                object.value,
                ...places.flatMap((each) =>
                  node.name === 'join' ? itemsOf(valueOf(each)).map(pythonText) : [plainOf(each)],
                ),
              ),
              environment,
            );
          const names = args.flatMap(({ key, value }) => (key && value ? [[key.value, plainOf(value)] as const] : []));
          return this.#value(formatFields(object.value, places.map(plainOf), new Map(names)), environment);
        }
        const callee = {
          type: 'MemberExpression',
          computed: false,
          object: known(object),
          property: { type: 'Identifier', value: node.name },
        };
        return library({ ...node.call, callee });
      }
      case 'Arithmetic': {
        const [left, right] = [valueOf(node.node.left), valueOf(node.node.right)];
        if (node.operator === '%' && typeof left.value === 'string') {
          const values = right.type === 'TupleValue' ? itemsOf(right) : [right];
          return this.#value(formatPercent(left.value, values.map(plain)), environment);
        }
        const [list, count] = typeof left.value === 'number' ? [right, left] : [left, right];
        if (node.operator === '*' && typeof count.value === 'number' && typeof list.value !== 'number') {
          return this.#repeat(list, Math.max(0, count.value), environment);
        }
        return library({ ...node.node, left: known(left), right: known(right) });
      }
      case 'FormatFilter':
        return this.#value(
          formatPercent(
            pythonText(valueOf(node.value)),
            node.args.map((each) => plain(valueOf(each))),
          ),
          environment,
        );
      case 'RoundFilter': {
        const digits = node.digits ? Number(valueOf(node.digits).value) : 0;
        return library({ type: 'FloatLiteral', value: roundEven(Number(valueOf(node.value).value), digits) });
      }
      case 'MapFilter': {
        const name = { type: 'Identifier', value: node.name };
        const filter = node.args.length > 0 ? { type: 'CallExpression', callee: name, args: node.args } : name;
        const items = itemsOf(valueOf(node.value)).map((item) => ({
          type: 'FilterExpression',
          operand: this.#known(item, environment),
          filter,
        }));
        return library({ type: 'ArrayLiteral', value: items });
      }
      case 'SelectFilter':
        return this.#choose(node, environment);
      case 'Membership': {
        const [left, right] = [valueOf(node.node.left), valueOf(node.node.right)];
        const key = isObject(right) ? this.#key(left, environment) : left;
        return library({ ...node.node, left: known(key), right: known(right) });
      }
      default:
        return library(node);
    }
  }

  #items(value: Value, environment: Environment): Value {
    const hasTuples = Array.isArray(value.value) && value.value.some(({ type }) => type === 'TupleValue');
    if (!hasTuples) return value;
    const items = (value.value as Value[]).map((item) => {
      return item.type === 'TupleValue'
        ? { type: 'ArrayLiteral', value: (item.value as Value[]).map(known) }
        : known(item);
    });
    return super.evaluate({ type: 'ArrayLiteral', value: items } as unknown as Statement, environment);
  }

  /** @throws InferenceError `invalid_request` for what would be too long */
  #repeat(list: Value, count: number, environment: Environment): Value {
    if (typeof list.value === 'string') {
      if (list.value.length * count > this.#maxCharacters) throw tooMuch('write too much');
      return this.#value(list.value.repeat(count), environment);
    }
    const items = itemsOf(list);
    if (items.length * count > MAX_ITEMS) throw tooMuch('loop too often');
    const repeated = Array.from({ length: count }, () => items.map((item) => this.#known(item, environment))).flat();
    return super.evaluate({ type: 'ArrayLiteral', value: repeated } as Statement, environment);
  }

  #choose(
    { value, attribute, test, given, negated }: Extract<OwnNode, { type: 'SelectFilter' }>,
    environment: Environment,
  ): Value {
    const name = test && pythonText(this.evaluate(test as Statement, environment));
    const argument = given && known(this.evaluate(given as Statement, environment));
    const isChosen = (item: Known): boolean => {
      const operand = attribute ? this.#attribute(item, attribute, environment) : item;
      // The library compares nothing with what is undefined.
      if (argument && operand.value.type === 'UndefinedValue') return (COMPARISONS[name!] === '!=') !== negated;
      const not = { type: 'UnaryExpression', operator: { value: 'not' }, argument: testOf(operand, name, argument) };
      return this.evaluate(not as object as Statement, environment).value === negated;
    };
    const items = itemsOf(this.evaluate(value as Statement, environment)).map((item) => this.#known(item, environment));
    return super.evaluate({ type: 'ArrayLiteral', value: items.filter(isChosen) } as Statement, environment);
  }

  /** An attribute of an item, or of its attributes, with dots between them. */
  #attribute(item: Known, attribute: object, environment: Environment): Known {
    const names = pythonText(this.evaluate(attribute as Statement, environment)).split('.');
    return names.reduce((object, name) => {
      const member = { type: 'MemberExpression', computed: true, object, property: text(name) };
      return known(this.evaluate(member as object as Statement, environment));
    }, item);
  }

  /** A plain value as the library's. */
  #value(value: string | number | boolean | string[], environment: Environment): Value {
    const literal = Array.isArray(value)
      ? { type: 'ArrayLiteral', value: value.map(text) }
      : typeof value === 'string'
        ? text(value)
        : typeof value === 'number'
          ? { type: 'IntegerLiteral', value }
          : { type: 'Identifier', value: String(value) };
    return super.evaluate(literal, environment);
  }

  #known(item: Value | string, environment: Environment): Known {
    return known(typeof item === 'string' ? this.#value(item, environment) : item);
  }

  #key(value: Value, environment: Environment): Value {
    return typeof value.value === 'number' ? super.evaluate(text(`${value.value}`), environment) : value;
  }
}

function tooMuch(what: string): InferenceError {
  return new InferenceError('invalid_request', `The conversation makes the model's chat template ${what}.`, {
    param: 'messages',
  });
}

/** What Python's `range` gives. @throws InferenceError `invalid_request` for more numbers than a list may have */
export function boundedRange(...limits: readonly number[]): number[] {
  const [first = 0, second, step = 1] = limits;
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  if (step === 0) throw new Error('range() step must not be zero');
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (length > MAX_ITEMS) throw tooMuch('loop too often');
  return Array.from({ length }, (_, index) => start + index * step);
}

function text(value: string): { type: 'StringLiteral'; value: string } {
  return { type: 'StringLiteral', value };
}

function known(value: Value): Known {
  return { type: 'Known', value };
}

const COMPARISONS: Readonly<Record<string, string>> = {
  '==': '==',
  eq: '==',
  equalto: '==',
  sameas: '==',
  '!=': '!=',
  ne: '!=',
  '>': '>',
  gt: '>',
  greaterthan: '>',
  ge: '>=',
  '<': '<',
  lt: '<',
  lessthan: '<',
  le: '<=',
};

/** What says whether a test of this name holds; without a name, whether the operand is true. */
function testOf(operand: object, name: string | undefined, argument: object | undefined): object {
  if (name === undefined) return operand;
  if (!argument) return { type: 'TestExpression', operand, negate: false, test: { type: 'Identifier', value: name } };
  if (name === 'in') {
    return {
      type: 'Membership',
      node: { type: 'BinaryExpression', operator: { value: 'in' }, left: operand, right: argument },
    };
  }
  return { type: 'BinaryExpression', operator: { value: COMPARISONS[name] ?? name }, left: operand, right: argument };
}

function isObject(value: Value): boolean {
  return (value as { value: unknown }).value instanceof Map;
}
