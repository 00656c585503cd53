/** Runs the syntax tree of a template as Python's Jinja would, within bounds of time and size. @module */
import { type Environment, Interpreter } from '@huggingface/jinja';
import { InferenceError } from '../../core/errors/inference-error.js';

type Statement = Parameters<Interpreter['evaluate']>[0];
/** A value of the library's: text, number, list … */
type Value = ReturnType<Interpreter['evaluate']>;

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
const MAX_TIME = 10_000;

/** Evaluated nodes between two looks at the clock. */
const CLOCK_INTERVAL = 4_096;

/** One rendering. */
export class TemplateInterpreter extends Interpreter {
  readonly #maxCharacters: number;
  readonly #deadline = performance.now() + MAX_TIME;
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
      case 'Membership': {
        const [left, right] = [valueOf(node.node.left), valueOf(node.node.right)];
        const key = isObject(right) ? this.#key(left, environment) : left;
        return library({ ...node.node, left: known(key), right: known(right) });
      }
      default:
        return library(node);
    }
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

function isObject(value: Value): boolean {
  return (value as { value: unknown }).value instanceof Map;
}

/** The items of a list, the characters of a text. */
function itemsOf({ value }: Value): readonly (Value | string)[] {
  if (Array.isArray(value)) return value;
  if (value instanceof Map) return [...value.keys()];
  return typeof value === 'string' ? Array.from(value) : [];
}

/** `str(value)`, as templates write values; nothing for what is undefined. */
function pythonText(value: Value | string): string {
  if (typeof value === 'string') return value;
  if (value.type === 'UndefinedValue') return '';
  return typeof value.value === 'string' ? value.value : pythonRepresentation(value);
}

/** `repr(value)`, as values stand in lists and objects. */
function pythonRepresentation(value: Value): string {
  const { type, value: plain } = value as { type: string; value: unknown };
  if (typeof plain === 'string') return quoted(plain);
  if (typeof plain === 'boolean') return plain ? 'True' : 'False';
  if (type === 'NullValue') return 'None';
  if (plain === undefined) return 'Undefined';
  if (Array.isArray(plain)) {
    const items = (plain as Value[]).map(pythonRepresentation);
    return type === 'TupleValue' ? `(${items.join(', ')})` : `[${items.join(', ')}]`;
  }
  if (!(plain instanceof Map)) return String(value);
  const entries = [...(plain as Map<string, Value>)];
  return `{${entries.map(([key, item]) => `${quoted(key)}: ${pythonRepresentation(item)}`).join(', ')}}`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** In single quotes, except where these alone stand in the text. */
function quoted(plain: string): string {
  const quote = plain.includes("'") && !plain.includes('"') ? '"' : "'";
  // eslint-disable-next-line no-control-regex
  const escaped = plain.replaceAll(/[\\\u0000-\u001f\u007f-\u00a0\u00ad]/g, (character) => {
    return ESCAPES[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote;
}
