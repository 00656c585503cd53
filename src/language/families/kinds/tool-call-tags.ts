/** All that models write between `<tool_call>` and `</tool_call>`: small models mix the shapes up. @module */
import type { ChannelPart } from '../../../core/events/token-event.js';
import { mendArguments, mendValue } from '../../../core/json/mend-json.js';
import type { Tool } from '../../../core/request/tool.js';
import { readPythonLiteral } from '../parsing/python-literal.js';
import type { CallReader, CallShape, TaggedCalls } from '../parsing/tagged-calls.js';
import {
  anyOf,
  lookahead,
  lookaheadOrEnd,
  blanks,
  BLANKS,
  lenient,
  maybe,
  NAME,
  TAG_END,
} from '../parsing/text-matching.js';
import { ARGUMENT_NAME } from './element-calls.js';
import { elementCall, type ElementSyntax } from './element-reader.js';
import { bareKnownCall, jsonCall, WRONG_CLOSES } from './json-calls.js';
import { namedCall } from './named-calls.js';

/** Calls with their arguments as JSON, and how much of the text they take. */
interface WholeCalls {
  calls: readonly { name: string; arguments: string }[];
  length: number;
}

/** `more`: what follows decides. `no`: it is not a call. */
type TagReading = WholeCalls | 'more' | 'no';

class WholeReader implements CallReader {
  state: CallReader['state'] = 'undecided';
  readonly #find: (text: string, final: boolean) => TagReading;

  constructor(find: (text: string, final: boolean) => TagReading) {
    this.#find = find;
  }

  read(text: string, parts: ChannelPart[], final: boolean): number | undefined {
    const found = this.#find(text, final);
    if (found === 'more') return undefined;
    if (found === 'no') {
      this.state = 'invalid';
      return undefined;
    }
    for (const { name, arguments: given } of found.calls) {
      parts.push({ type: 'tool-call-start', name });
      parts.push({ type: 'tool-call-arguments', text: given });
      parts.push({ type: 'tool-call-end' });
    }
    this.state = 'done';
    return found.length;
  }
}

/** `{'name': 'f', 'arguments': {'a': 1}}`: an object as Python prints it, where a tag announced a call. */
const pythonDictCall: CallShape = {
  begins: (text) => (/^\{\s*'/.test(text) ? 'yes' : /^\{\s*$/.test(text) ? 'more' : 'no'),
  createReader: () =>
    new WholeReader((text) => {
      const value = readPythonLiteral(text, 0);
      if (typeof value === 'string') return value === 'incomplete' ? 'more' : 'no';
      const call = callOf(JSON.parse(value.json));
      return call ? { calls: [call], length: value.end } : 'no';
    }),
};

const FENCE = /^```(?:json)?\s*([[{][^]*?)\s*```\s*$/;
const FENCE_HEAD = /^```(?:json)?\s*(?=[[{])/;
const FENCE_BEGINNING = /^(?:`{1,3}|```(?:j|js|jso|json)?\s*)$/;
/** Text behind the block. */
const TEXT_AFTER = /\n\s*```\s*[^\s`]/;

/** Keys of a call. */
const KEYS = ['name', 'arguments', 'parameters', 'type', 'id'];

/**
 * A call in a code block that ends the answer, of a function that the request offers, and nothing but calls in the block.
 * JSON that is shown to a reader names no such function, or text follows it.
 */
const fencedKnownCall: CallShape = {
  begins: (text, _final, tools) => (tools.length > 0 && mayBecomeCall(text) ? 'more' : 'no'),
  createReader: (tools) =>
    new WholeReader((text, final) => {
      if (!final) return mayBecomeCall(text) ? 'more' : 'no';
      const found = FENCE.exec(text);
      const calls = found && knownCalls(found[1]!, tools);
      return calls ? { calls, length: text.length } : 'no';
    }),
};

/** Other code blocks are shown as they come. */
function mayBecomeCall(text: string): boolean {
  const head = FENCE_HEAD.exec(text);
  if (!head) return FENCE_BEGINNING.test(text);
  const json = text.slice(head[0].length);
  const first = /^(?:\[\s*)?\{\s*["'](\w*)(["']?)/.exec(json);
  if (!first) return /^(?:\[\s*)?(?:\{\s*)?$/.test(json);
  const [, key = '', end] = first;
  return KEYS.some((each) => (end === '' ? each.startsWith(key) : each === key)) && !TEXT_AFTER.test(json);
}

function knownCalls(json: string, tools: readonly Tool[]): WholeCalls['calls'] | undefined {
  const value = mendValue(json);
  if (typeof value === 'string' || value.end < json.trimEnd().length) return undefined;
  const calls = [JSON.parse(value.json) as unknown].flat().map(callOf);
  const areCalls = calls.every((call) => call && tools.some(({ name }) => name === call.name));
  return calls.length > 0 && areCalls ? (calls as WholeCalls['calls']) : undefined;
}

/** An object with a name and an object of arguments, and nothing else. */
function callOf(value: unknown): WholeCalls['calls'][number] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { name, arguments: given, parameters } = value as Record<string, unknown>;
  const values = given ?? parameters;
  const hasOthers = Object.keys(value).some((key) => !KEYS.includes(key));
  if (typeof name !== 'string' || hasOthers) return undefined;
  if (typeof values === 'string') return { name, arguments: mendArguments(values) ?? JSON.stringify(values) };
  return typeof values === 'object' ? { name, arguments: JSON.stringify(values ?? {}) } : undefined;
}

export const TOOL_CALL = { open: '<tool_call>', close: '</tool_call>' } as const;

export const FUNCTION = '<function=';
export const FUNCTION_CLOSE = '</function>';

/**
 * `<function=f>\n<parameter=a>\n1\n</parameter>\n</function>`.
 * @param close what closes the call around it
 * @param layout what stands between a value and its tags
 */
export function functionElements(close: string, layout: '' | '\n'): ElementSyntax {
  return {
    head: [anyOf(FUNCTION), BLANKS, lenient('"'), NAME, lenient('"'), BLANKS, TAG_END],
    key: [anyOf('<parameter='), BLANKS, lenient('"'), ARGUMENT_NAME, lenient('"'), BLANKS, TAG_END],
    layout,
    valueCloses: ['</parameter>'],
    valueEnds: ['<parameter=', FUNCTION_CLOSE, close],
    close: FUNCTION_CLOSE,
    outerCloses: [close, FUNCTION],
  };
}

export const ARGUMENT_KEY = '<arg_key>';

/**
 * `f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>`.
 * @param call the tags around it
 * @param prefix of the tags' names
 */
export function argumentPairs(call: { open: string; close: string }, prefix = ''): ElementSyntax {
  const key = ARGUMENT_KEY.replace('<', `<${prefix}`);
  return {
    head: [BLANKS, NAME, BLANKS, lenient('<tool_sep>'), BLANKS, lookahead(key)],
    key: [
      anyOf(key),
      BLANKS,
      ARGUMENT_NAME,
      BLANKS,
      anyOf(`</${prefix}arg_key>`),
      blanks('\n'),
      anyOf(`<${prefix}arg_value>`),
    ],
    valueCloses: [`</${prefix}arg_value>`],
    valueEnds: [call.close],
    close: call.close,
    outerCloses: [call.open, '</tool_calls>'],
  };
}

/** `f</tool_call>`: the same without arguments. @param close what ends the call */
export function nameAlone(close: string): CallShape {
  return elementCall({
    head: [BLANKS, NAME, BLANKS, lookaheadOrEnd(close)],
    key: [anyOf(ARGUMENT_KEY)],
    valueCloses: ['</arg_value>'],
    valueEnds: [],
    close,
    knownNames: true,
    outerCloses: [],
  });
}

/** `<function=f>{"a": 1}</function>`. */
export const functionJson = namedCall([anyOf(FUNCTION), NAME, anyOf('>')], []);

/** `<function name="f">{"a": 1}</function>`, and the same with an element for each argument. */
const QUOTED_FUNCTION = [anyOf('<function'), BLANKS, anyOf('name="'), NAME, anyOf('">')];
const quotedFunctionElements = elementCall({
  head: [...QUOTED_FUNCTION, BLANKS, lookahead('<param', FUNCTION_CLOSE)],
  key: [anyOf('<param'), maybe('eter'), BLANKS, anyOf('name="'), ARGUMENT_NAME, anyOf('">')],
  cdata: true,
  valueCloses: ['</param>', '</parameter>'],
  valueEnds: [FUNCTION_CLOSE],
  close: FUNCTION_CLOSE,
  outerCloses: [TOOL_CALL.close, '<function'],
});

export const TOOL_CALL_TAGS: TaggedCalls = {
  opens: [TOOL_CALL.open],
  headOpens: [FUNCTION, '<function name="'],
  closes: [TOOL_CALL.close, FUNCTION_CLOSE, '</tool_calls>', ...WRONG_CLOSES],
  shapes: [
    pythonDictCall,
    jsonCall,
    functionJson,
    elementCall(functionElements(TOOL_CALL.close, '\n')),
    namedCall(QUOTED_FUNCTION, []),
    quotedFunctionElements,
    namedCall([NAME, BLANKS, maybe('```json', '```')]),
    elementCall(argumentPairs(TOOL_CALL)),
    nameAlone(TOOL_CALL.close),
  ],
  bare: [bareKnownCall],
  fenced: fencedKnownCall,
};
