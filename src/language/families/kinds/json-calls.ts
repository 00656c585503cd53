/** Families that write calls as JSON objects between tags. What they differ in is data. @module */
import type { Tool } from '../../../core/request/tool.js';
import { literal, sequence } from '../../grammar/expression.js';
import { comma } from '../../grammar/value-style.js';
import {
  JSON_VALUES,
  type ToolGrammar,
  type ToolGrammarOptions,
  anyCall,
  further,
  objectArguments,
  tag,
  triggered,
} from '../format/call-grammar.js';
import type { ToolSyntax, WrittenCall } from '../format/model-family.js';
import { createCallObjectReader } from '../parsing/call-object.js';
import { type CallReader, type CallShape, type TaggedCalls, createTaggedCallParser } from '../parsing/tagged-calls.js';
import { containsAny, mayBecome } from '../parsing/text-matching.js';

/** Keys of a call's name and of its arguments. */
export interface CallKeys {
  name: string;
  arguments: string;
}

const CALL_KEYS: CallKeys = { name: 'name', arguments: 'arguments' };

/** What one family writes. */
export interface JsonCalls {
  /** Before and after the calls; the first of each is what is written, all are read. */
  opens: readonly [string, ...string[]];
  closes: readonly string[];
  /** All calls in one list, or each in tags of its own. */
  list: boolean;
  /** Between tag and JSON. */
  layout: '' | '\n' | ' ';
  /** Undefined: `name` and `arguments`. */
  keys?: CallKeys;
  /** What else is read behind the tags. */
  moreShapes?: readonly CallShape[];
  /** How answers are read, where that is more than what is written. */
  parsing?: TaggedCalls;
  /** What shows the family in a text; absent: the opening tag. */
  signs?: readonly (string | RegExp)[];
  /** Calls that this begins end a thought that is still open. */
  endsThought?: readonly string[];
}

/** The syntax of such a family. */
export function jsonCallTools(family: JsonCalls): ToolSyntax {
  const [open] = family.opens;
  const close = family.closes[0] ?? '';
  const { keys = CALL_KEYS, layout } = family;
  const tags = [open, ...(close === '' ? [] : [close])];
  const example = `{"${keys.name}": <function name>, "${keys.arguments}": <arguments as a JSON object>}`;
  const frame = (inside: string): string =>
    `${open}${layout}${family.list ? `[${inside}]` : inside}${layout.trimEnd() === '' && close !== '' ? layout : ''}${close}`;

  const callGrammar = (options: ToolGrammarOptions): ToolGrammar => {
    const begin = tag(open, options.marker);
    const end = close === '' ? literal('') : tag(close, options.marker);
    const gap = literal(layout);
    const call = anyCall(options, keys.arguments, keys.name);
    const next = sequence(comma(options.style), call);
    const inside = family.list ? sequence(literal('['), call, further(next, options), literal(']')) : call;
    const body = sequence(gap, inside, close === '' ? literal('') : gap, end);
    const more = family.list ? literal('') : further(sequence(literal('\n'), begin, body), options);
    return { required: sequence(begin, body, more), free: triggered(options, [open], sequence(body, more)) };
  };

  return {
    recognise: (text) => containsAny(text, family.signs ?? [open]),
    openingTokens: family.opens,
    createParser: (tools) =>
      createTaggedCallParser(
        family.parsing ?? {
          opens: family.opens,
          closes: family.closes,
          shapes: [jsonCall, ...(family.moreShapes ?? [])],
        },
        tools,
      ),
    ...(family.endsThought && { endsThought: family.endsThought }),
    grammar: { tags, values: JSON_VALUES, arguments: objectArguments, calls: callGrammar },
    write: (calls) => {
      const written = calls.map((call) => writeCallObject(call, keys));
      return family.list ? frame(written.join(', ')) : written.map(frame).join('\n');
    },
    instruction: family.list
      ? `Write all calls as one JSON list between tags:\n${frame(example)}`
      : `Write each call as a JSON object between tags:\n${frame(example)}`,
  };
}

/** Keys under which models write a call's name and its arguments. */
const NAME_KEYS = ['name', 'tool_name', 'function'];
const ARGUMENT_KEYS = ['arguments', 'parameters', 'args'];

/** An object with the name and the arguments, in any order. */
export const jsonCall: CallShape = {
  begins: (text) => (text.startsWith('{') ? 'yes' : 'no'),
  createReader: (_tools, closes) => createReader({ argumentsRequired: false, closes }),
};

/** What may stand before the first object of a list that begins the answer. */
const LIST_HEAD = /^(?:```(?:json)?\s*)?\[\s*(?=\{)/;
const LIST_BEGINNING = /^(?:`{0,3}|```j?s?o?n?|```(?:json)?\s+|(?:```(?:json)?\s*)?\[\s*)$/;

/** A list of such objects without any tag. Each has arguments, else it is not a call. */
export const bareJsonCalls: CallShape = {
  begins: (text) => (LIST_HEAD.test(text) ? 'yes' : LIST_BEGINNING.test(text) ? 'more' : 'no'),
  createReader: (_tools, closes) => behindHead(LIST_HEAD, createReader({ argumentsRequired: true, closes })),
};

/** Tags that small models write in place of the right ones. */
const WRONG_TAGS = ['tools', 'tool', 'function_call', 'json', 'response'];
const WRONG_OPENS = WRONG_TAGS.map((name) => `<${name}>`);
export const WRONG_CLOSES = WRONG_TAGS.map((name) => `</${name}>`);

/** What may stand before a call that begins the answer. */
const LEAD = new RegExp(`^(?:\`{3}(?:json)?\\s*)?(?:(?:${WRONG_OPENS.join('|')})\\s*)?(?:\\[\\s*)?`);

function isLeadBeginning(text: string): boolean {
  const rest = text.replace(LEAD, '');
  return rest === '' || mayBecome(text, ['```json']) || mayBecome(rest, WRONG_OPENS);
}

/**
 * A call without its tag, of a function that the request offers: small models forget tags or write others, and put JSON in
 * fences and lists.
 */
export const bareKnownCall: CallShape = {
  begins(text, _final, tools) {
    if (tools.length === 0) return 'no';
    if (text.replace(LEAD, '').startsWith('{')) return 'yes';
    return isLeadBeginning(text) ? 'more' : 'no';
  },
  createReader: (tools, closes) => behindHead(LEAD, createReader({ argumentsRequired: true, known: tools, closes })),
};

function behindHead(head: RegExp, reader: CallReader): CallReader {
  return {
    read(text, parts, final) {
      const length = reader.state === 'undecided' ? (head.exec(text)?.[0].length ?? 0) : 0;
      const taken = reader.read(text.slice(length), parts, final);
      return taken === undefined ? undefined : length + taken;
    },
    get state() {
      return reader.state;
    },
  };
}

interface ReaderOptions {
  argumentsRequired: boolean;
  closes: readonly string[];
  /** Only functions of these names are called, and objects with other keys are none; undefined: any. */
  known?: readonly Tool[] | undefined;
}

function createReader({ argumentsRequired, closes, known }: ReaderOptions): CallReader {
  const reader = createCallObjectReader({
    nameKeys: NAME_KEYS,
    argumentKeys: ARGUMENT_KEYS,
    argumentsRequired,
    closes,
    ...(known && {
      isName: (name) => known.some((tool) => tool.name === name),
      onlyKeys: [...NAME_KEYS, ...ARGUMENT_KEYS, 'type', 'id'],
    }),
  });
  return {
    read(text, parts, final) {
      // What was read while undecided is still in the text.
      const before = reader.state === 'undecided' ? reader.raw.length : 0;
      const taken = reader.read(text.slice(before), parts, final);
      return reader.state === 'undecided' ? undefined : before + taken;
    },
    get state() {
      return reader.state;
    },
  };
}

/** Arguments as JSON. */
export function argumentsText(given: WrittenCall['arguments']): string {
  return typeof given === 'string' ? given : JSON.stringify(given);
}

/** A call as one JSON object. */
export function writeCallObject({ name, arguments: given }: WrittenCall, keys: CallKeys = CALL_KEYS): string {
  return `{"${keys.name}": ${JSON.stringify(name)}, "${keys.arguments}": ${argumentsText(given)}}`;
}
