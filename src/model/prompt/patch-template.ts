/** What Jinja's own implementation does and the library does not: templates are changed until both write the same. @module */

import { TEXT_METHODS } from './python-text.js';
import type { OwnNode } from './template-interpreter.js';

/** A node of a template's syntax tree. */
interface Node {
  type: string;
  [field: string]: unknown;
}

/** Filters that the library does not know, as functions. */
const FILTER_FUNCTIONS: Readonly<Record<string, string>> = { min: 'inpage_min', max: 'inpage_max' };

/** A variable of the loop that `break` ends. No template has one of this name. */
const LOOP_ENDED = 'inpage_loop_ended';

/** What mended templates call. */
export const TEMPLATE_FUNCTIONS = {
  strftime_now: (format: string): string => formatTime(format, new Date()),
  inpage_min: (list: readonly { value: number }[]): number => Math.min(...list.map(({ value }) => value)),
  inpage_max: (list: readonly { value: number }[]): number => Math.max(...list.map(({ value }) => value)),
};

/** The source with what the library cannot parse in other words: tests with a value as comparisons, `raw` as a text. */
export function patchTemplateSource(source: string): string {
  return source
    .replaceAll(
      /\{%-?\s*raw\s*-?%\}(.*?)\{%-?\s*endraw\s*-?%\}/gs,
      (_, text: string) => `{{ ${JSON.stringify(text)} }}`,
    )
    .replaceAll(/\bis\s+(not\s+)?(?:sameas|equalto|eq)\b/g, (_, not?: string) => (not ? '!=' : '=='));
}

/** Mends a syntax tree in place. */
export function patchTemplateTree(tree: object): void {
  mend(tree as Node);
}

function mend(node: Node): Node {
  for (const [field, child] of Object.entries(node)) node[field] = mendChild(child);
  for (const field of ['body', 'alternate', 'defaultBlock']) {
    const statements = node[field];
    if (Array.isArray(statements)) node[field] = (statements as Node[]).map(withPythonText);
  }
  if (node.type === 'For') {
    node['body'] = mendLoop(node['body'] as Node[]);
    const list = node['iterable'] as Node;
    if (list.type === 'SelectExpression') list['lhs'] = own({ type: 'Items', value: list['lhs'] as Node });
    else node['iterable'] = own({ type: 'Items', value: list });
  }
  if (node.type === 'For' || node.type === 'Macro')
    (node['body'] as Node[]).unshift({ type: 'Pass' } satisfies OwnNode);
  return mendExpression(node);
}

function mendChild(child: unknown): unknown {
  if (Array.isArray(child)) return child.map(mendChild);
  if (child instanceof Map) return new Map([...child].map(([key, value]) => [mendChild(key), mendChild(value)]));
  return isNode(child) ? mend(child) : child;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

function mendExpression(node: Node): Node {
  switch (node.type) {
    case 'FilterExpression':
      return mendFilter(node);
    case 'ObjectLiteral':
      return {
        ...node,
        value: new Map([...(node['value'] as Map<Node, Node>)].map(([key, item]) => [keyOf(key), item])),
      };
    case 'MemberExpression': {
      const [object, property] = [node['object'] as Node, node['property'] as Node];
      const isPlain = !node['computed'] || property.type === 'SliceExpression' || property.type === 'StringLiteral';
      return isPlain ? node : own({ type: 'Item', object, property });
    }
    case 'CallExpression': {
      const [callee, args] = [node['callee'] as Node, node['args'] as Node[]];
      if (callee.type !== 'MemberExpression') return node;
      const { value: name } = callee['property'] as Node;
      if (name === 'get' && args[0]) return { ...node, args: [keyOf(args[0]), ...args.slice(1)] };
      if (typeof name !== 'string' || callee['computed']) return node;
      // Without marks the library does the same.
      const isKnown = name.endsWith('strip') && args.length === 0;
      const isText = !isKnown && (name in TEXT_METHODS || name === 'format');
      return isText ? own({ type: 'Method', object: callee['object'] as Node, name, args, call: node }) : node;
    }
    case 'BinaryExpression': {
      const { value: operator } = node['operator'] as { value: string };
      const [left, right] = [node['left'] as Node, node['right'] as Node];
      if (operator === '~') return { ...node, left: textOf(left), right: textOf(right) };
      if (operator === '%' || operator === '*')
        return own({ type: 'Arithmetic', node: { ...node, left, right }, operator });
      return operator.endsWith('in') ? own({ type: 'Membership', node: { ...node, left, right } }) : node;
    }
    default:
      return node;
  }
}

function own(node: OwnNode): Node {
  return { ...node };
}

function keyOf(value: Node): Node {
  return value.type === 'StringLiteral' ? value : own({ type: 'Key', value });
}

function textOf(value: Node): Node {
  return value.type === 'StringLiteral' ? value : own({ type: 'Text', value });
}

/** Statements that give no value to write. */
const SILENT = new Set([
  'Set',
  'If',
  'For',
  'Macro',
  'CallStatement',
  'FilterStatement',
  'Break',
  'Continue',
  'Comment',
]);

/** A value that the template writes, as Python writes it. */
function withPythonText(node: Node): Node {
  return SILENT.has(node.type) ? node : textOf(node);
}

function nameOf(filter: Node): unknown {
  return filter.type === 'CallExpression' ? (filter['callee'] as Node)['value'] : filter['value'];
}

function mendFilter(node: Node): Node {
  const [operand, filter] = [node['operand'] as Node, node['filter'] as Node];
  const args = (filter['args'] as Node[] | undefined) ?? [];
  switch (nameOf(filter)) {
    case 'min':
    case 'max': {
      const callee = { type: 'Identifier', value: FILTER_FUNCTIONS[String(filter['value'])] };
      return filter.type === 'Identifier' ? { type: 'CallExpression', callee, args: [operand] } : node;
    }
    case 'string':
      return textOf(operand);
    case 'join': {
      const isPlain = args.length < 2 && args.every(({ type }) => type !== 'KeywordArgumentExpression');
      return isPlain ? own({ type: 'Joined', value: operand, separator: args[0] }) : node;
    }
    case 'format':
      return own({ type: 'FormatFilter', value: operand, args });
    case 'round':
      return own({ type: 'RoundFilter', value: operand, digits: args[0] });
    case 'map':
      return args[0]?.type === 'StringLiteral'
        ? own({ type: 'MapFilter', value: operand, name: args[0]['value'] as string, args: args.slice(1) })
        : node;
    case 'selectattr':
    case 'rejectattr':
    case 'select':
    case 'reject': {
      const [name, negated] = [String(nameOf(filter)), String(nameOf(filter)).startsWith('reject')];
      const [attribute, rest] = name.endsWith('attr') ? [args[0], args.slice(1)] : [undefined, args];
      return own({ type: 'SelectFilter', value: operand, attribute, test: rest[0], given: rest[1], negated });
    }
    case 'tojson':
      // Escaped, the marks in a conversation would not be found again.
      if (args.length > 0) filter['args'] = args.filter(({ key }) => !isNode(key) || key['value'] !== 'ensure_ascii');
      return node;
    default:
      return node;
  }
}

/**
 * The library forgets what a pass wrote before it was left. So what follows a choice that may leave it goes into the
 * branches, and `break` becomes a word to the next pass, which writes nothing.
 */
function mendLoop(body: readonly Node[]): Node[] {
  const ended = { type: 'Identifier', value: LOOP_ENDED };
  const end = { type: 'If', test: ended, body: [{ type: 'Break' }], alternate: [] };
  return [...(leaves(body, 'Break') ? [end] : []), ...withoutLeaving(body, [])];
}

/** @param after what follows these statements in the pass */
function withoutLeaving(body: readonly Node[], after: readonly Node[]): Node[] {
  const place = body.findIndex((node) => leaves([node]));
  const found = body[place];
  if (!found) return [...body, ...after];
  const before = body.slice(0, place);
  if (found.type === 'Continue') return before;
  if (found.type === 'Break') return [...before, END_LOOP];
  const rest = withoutLeaving(body.slice(place + 1), after);
  const [yes, no] = [found['body'] as Node[], found['alternate'] as Node[]];
  return [...before, { ...found, body: withoutLeaving(yes, rest), alternate: withoutLeaving(no, rest) }];
}

const END_LOOP: Node = {
  type: 'Set',
  assignee: { type: 'Identifier', value: LOOP_ENDED },
  value: { type: 'Identifier', value: 'true' },
  body: [],
};

/** Whether one of these statements may leave the pass. @param how only in this way */
function leaves(body: readonly Node[], how?: string): boolean {
  return body.some((node) => {
    if (node.type === 'If') return leaves([...(node['body'] as Node[]), ...(node['alternate'] as Node[])], how);
    return how === undefined ? node.type === 'Break' || node.type === 'Continue' : node.type === how;
  });
}

/** Python's `strftime` in English, as far as templates use it. A dash drops the leading zero. */
function formatTime(format: string, time: Date): string {
  const name = (options: Intl.DateTimeFormatOptions): string => time.toLocaleDateString('en-US', options);
  const [hours, year] = [time.getHours(), time.getFullYear()];
  const dayOfYear = (Date.UTC(year, time.getMonth(), time.getDate()) - Date.UTC(year, 0, 0)) / 86_400_000;
  const numbers: Readonly<Record<string, readonly [value: number, digits: number]>> = {
    Y: [year, 4],
    y: [year % 100, 2],
    m: [time.getMonth() + 1, 2],
    d: [time.getDate(), 2],
    j: [dayOfYear, 3],
    H: [hours, 2],
    I: [hours % 12 || 12, 2],
    M: [time.getMinutes(), 2],
    S: [time.getSeconds(), 2],
  };
  const words: Readonly<Record<string, string>> = {
    A: name({ weekday: 'long' }),
    a: name({ weekday: 'short' }),
    B: name({ month: 'long' }),
    b: name({ month: 'short' }),
    p: hours < 12 ? 'AM' : 'PM',
    '%': '%',
  };
  return format.replaceAll(/%(-?)([A-Za-z%])/g, (code, dash: string, letter: string) => {
    const [value, digits] = numbers[letter] ?? [];
    if (value === undefined) return words[letter] ?? code;
    return dash === '' ? String(value).padStart(digits ?? 0, '0') : String(value);
  });
}
