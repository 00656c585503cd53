/** Families that write calls as Python, between tags or as the whole answer. @module */
import type { ChannelPart } from '../../../core/events/token-event.js';
import type { Tool } from '../../../core/request/tool.js';
import { type Expression, NEVER, choice, literal, optional, sequence } from '../../grammar/expression.js';
import type { ObjectFrame } from '../../grammar/value-style.js';
import {
  type ToolGrammar,
  type ToolGrammarOptions,
  further,
  tag,
  textUnlike,
  triggered,
} from '../format/call-grammar.js';
import type { ToolSyntax, WrittenCall } from '../format/model-family.js';
import { readPythonLiteral, skipBlank } from '../parsing/python-literal.js';
import { argumentNames, argumentTypes, isPlainString } from '../parsing/schema-values.js';
import { containsAny } from '../parsing/text-matching.js';
import { type CallReader, type CallShape, createTaggedCallParser } from '../parsing/tagged-calls.js';
import { jsonCall } from './json-calls.js';

/** What one family writes. */
export interface PythonCalls {
  /** Around the calls; without tags the whole answer is a list of calls. */
  frames: readonly (readonly [open: string, close: string])[];
  /** A list without tags, as the whole answer, is what the family writes where its tokens are unknown. */
  bare: boolean;
  /** Such a list is read as calls, too. */
  readsBare?: boolean;
  /** What stands before, between and after the calls inside the frame. */
  list: { open: string; separator: string; close: string };
  /** `python`: True, False and None; `json`: true, false and null. */
  literals: 'python' | 'json';
  /** What shows the family in a text; absent: the opening tag. */
  signs?: readonly (string | RegExp)[];
  endsThought?: readonly string[];
  callEndsThought?: boolean;
}

const KEYWORD_ARGUMENTS: ObjectFrame = {
  open: '(',
  close: ')',
  key: (name) => (/^[A-Za-z_]\w*$/.test(name) ? literal(`${name}=`) : NEVER),
  extraKeys: false,
};

/** The syntax of such a family. Arguments come out as JSON. */
export function pythonCallTools(family: PythonCalls): ToolSyntax {
  const { frames, list } = family;

  const callGrammar = (options: ToolGrammarOptions): ToolGrammar => {
    const { rules, tools, marker } = options;
    const call = rules.add(choice(...tools.map((tool) => sequence(literal(tool.name), tool.arguments))));
    const separator = list.separator === ',' ? sequence(literal(','), optional(literal(' '))) : literal(list.separator);
    const calls = sequence(literal(list.open), call, further(sequence(separator, call), options), literal(list.close));
    // Of several frames the vocabulary tells which one the model knows.
    const known = frames.filter(([open]) => marker(open) !== undefined);
    const usable = known.length > 0 ? known : family.bare ? [] : frames;
    const [frame] = usable;
    if (!frame) return { required: calls, free: choice(calls, textUnlike('[', '<|')) };
    const framed = ([open, close]: readonly [string, string]): Expression =>
      sequence(tag(open, marker), calls, tag(close, marker));
    const body = sequence(calls, tag(frame[1], marker));
    return { required: choice(...usable.map(framed)), free: triggered(options, [frame[0]], body) };
  };

  const write = (calls: readonly WrittenCall[]): string => {
    const [open, close] = (family.bare ? undefined : frames[0]) ?? ['', ''];
    const separator = list.separator === ',' ? ', ' : list.separator;
    const written = calls.map((call) => writeCall(call, family.literals)).join(separator);
    return `${open}${list.open}${written}${list.close}${close}`;
  };

  return {
    recognise: (text) => containsAny(text, family.signs ?? frames.map(([open]) => open)),
    openingTokens: frames.map(([open]) => open),
    createParser: (tools) =>
      createTaggedCallParser(
        {
          opens: frames.map(([open]) => open),
          closes: frames.map(([, close]) => close),
          shapes: [jsonCall, pythonCalls],
          ...((family.bare || family.readsBare === true) && { bare: [barePythonCalls] }),
        },
        tools,
      ),
    ...(family.endsThought && { endsThought: family.endsThought }),
    ...(family.callEndsThought === true && { callEndsThought: true }),
    grammar: {
      tags: frames.flat(),
      values: () => ({ language: family.literals }),
      arguments: (schema) => schema.members(KEYWORD_ARGUMENTS),
      calls: callGrammar,
    },
    write,
    instruction: `Write calls as Python, all arguments by name, and nothing else:\n${write([
      { name: 'first_function', arguments: { name: 'value', count: 1 } },
      { name: 'second_function', arguments: {} },
    ])}`,
  };
}

function writeCall(call: WrittenCall, literals: PythonCalls['literals']): string {
  if (typeof call.arguments === 'string') return `${call.name}(${call.arguments})`;
  const pairs = Object.entries(call.arguments).map(([key, value]) => `${key}=${writeValue(value, literals)}`);
  return `${call.name}(${pairs.join(', ')})`;
}

function writeValue(value: unknown, literals: PythonCalls['literals']): string {
  if (literals === 'json') return JSON.stringify(value);
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map((item) => writeValue(item, literals)).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${writeValue(item, literals)}`);
  return `{${pairs.join(', ')}}`;
}

const NAME = String.raw`[A-Za-z_][\w.-]*`;
const KEYWORD = String.raw`[A-Za-z_]\w*\s*=(?!=)`;
const CALL = new RegExp(`^\\s*(${NAME})\\(\\s*`);
const CALL_BEGINNING = new RegExp(`^\\s*(?:${NAME}(?:\\(\\s*)?)?$`);
/** Where no tag announces calls, only an argument with its name, or the end, makes one certain. */
const CERTAIN_CALL = new RegExp(`^\\s*(${NAME})\\(\\s*(?=\\)|${KEYWORD}.)`, 's');
const CERTAIN_BEGINNING = new RegExp(`^\\s*(?:${NAME}(?:\\(\\s*(?:[A-Za-z_]\\w*\\s*=?)?)?)?$`);
/** `f.call(`, as Llama 3 calls the tools that are built in. */
const DOTTED_CALL = /^\s*([A-Za-z_]\w*)\.call\(\s*/;
const DOTTED_BEGINNING = /^\s*(?:[A-Za-z_]\w*(?:\.(?:c|ca|cal|call|call\(\s*)?)?)?$/;
const ARGUMENT = new RegExp(`^(${KEYWORD})\\s*`);

/** Calls where a tag announced them: with or without brackets, several in lines or after commas. */
const pythonCalls: CallShape = {
  begins: (text) => beginning(text.replace(/^\[/, ''), CALL, CALL_BEGINNING),
  createReader: (tools) => new PythonReader(CALL, CALL_BEGINNING, tools),
};

/** `f.call(a="x")` where a tag announced it. */
export const dottedCalls: CallShape = {
  begins: (text) => beginning(text, DOTTED_CALL, DOTTED_BEGINNING),
  createReader: (tools) => new PythonReader(DOTTED_CALL, DOTTED_BEGINNING, tools),
};

/** A list of calls that begins the answer. */
const barePythonCalls: CallShape = {
  begins: (text) => (text.startsWith('[') ? beginning(text.slice(1), CERTAIN_CALL, CERTAIN_BEGINNING) : 'no'),
  createReader: (tools) => new PythonReader(CERTAIN_CALL, CERTAIN_BEGINNING, tools),
};

function beginning(text: string, call: RegExp, start: RegExp): 'yes' | 'no' | 'more' {
  if (call.test(text)) return 'yes';
  return start.test(text) ? 'more' : 'no';
}

/** An argument is given out when its value is complete. A call whose arguments are no Python stays open. */
class PythonReader implements CallReader {
  state: CallReader['state'] = 'undecided';
  readonly #call: RegExp;
  readonly #beginning: RegExp;
  readonly #tools: readonly Tool[];
  #stage: 'call' | 'arguments' | 'after-call' | 'broken' = 'call';
  #name = '';
  #count = 0;

  constructor(call: RegExp, start: RegExp, tools: readonly Tool[]) {
    this.#call = call;
    this.#beginning = start;
    this.#tools = tools;
  }

  read(text: string, parts: ChannelPart[]): number | undefined {
    switch (this.#stage) {
      case 'call':
        return this.#start(text, parts);
      case 'arguments':
        return this.#arguments(text, parts);
      case 'after-call':
        return this.#afterCall(text);
      case 'broken':
        return text.length;
    }
  }

  #start(text: string, parts: ChannelPart[]): number | undefined {
    const bracket = this.state === 'undecided' && text.startsWith('[') ? 1 : 0;
    const inside = text.slice(bracket);
    const found = this.#call.exec(inside);
    if (!found) {
      if (this.#beginning.test(inside)) return undefined;
      this.state = this.state === 'undecided' ? 'invalid' : 'done';
      return 0;
    }
    this.state = 'called';
    this.#name = found[1]!;
    this.#count = 0;
    this.#stage = 'arguments';
    parts.push({ type: 'tool-call-start', name: this.#name }, { type: 'tool-call-arguments', text: '{' });
    return bracket + found[0].length;
  }

  #arguments(text: string, parts: ChannelPart[]): number | undefined {
    const from = skipBlank(text, 0);
    if (from === text.length) return undefined;
    if (text[from] === ')') {
      parts.push({ type: 'tool-call-arguments', text: '}' }, { type: 'tool-call-end' });
      this.#stage = 'after-call';
      return from + 1;
    }
    if (text[from] === ',' && this.#count > 0) return from + 1;
    const rest = text.slice(from);
    const keyword = ARGUMENT.exec(rest);
    if (!keyword && /^[A-Za-z_]\w*\s*=?$/.test(rest)) return undefined;
    const key = keyword ? keyword[1]!.slice(0, -1).trimEnd() : argumentNames(this.#tools, this.#name)[this.#count];
    if (key === undefined) return this.#break();
    const value = this.#value(text, from + (keyword?.[0].length ?? 0), key);
    if (value === 'incomplete') return undefined;
    if (value === 'invalid') return this.#break();
    parts.push({
      type: 'tool-call-arguments',
      text: `${this.#count > 0 ? ',' : ''}${JSON.stringify(key)}:${value.json}`,
    });
    this.#count += 1;
    return value.end;
  }

  /** A word without quotes is a string where the schema wants one. */
  #value(text: string, from: number, key: string): ReturnType<typeof readPythonLiteral> {
    const value = readPythonLiteral(text, from);
    if (typeof value !== 'string' || value === 'incomplete') return value;
    if (!isPlainString(argumentTypes(this.#tools, this.#name, key))) return value;
    const length = /[,)\n]/.exec(text.slice(from))?.index;
    if (length === undefined) return 'incomplete';
    return { json: JSON.stringify(text.slice(from, from + length).trim()), end: from + length };
  }

  #break(): number {
    this.#stage = 'broken';
    return 0;
  }

  #afterCall(text: string): number | undefined {
    const from = skipBlank(text, 0);
    if (from === text.length) return undefined;
    const comma = text[from] === ',' || text[from] === ';';
    const next = text.slice(from + (comma ? 1 : 0));
    if (comma || this.#call.test(next)) {
      this.#stage = 'call';
      return from + (comma ? 1 : 0);
    }
    if (this.#beginning.test(next) && !/^[\])`]/.test(next)) return undefined;
    this.state = 'done';
    return text[from] === ']' ? from + 1 : from;
  }
}
