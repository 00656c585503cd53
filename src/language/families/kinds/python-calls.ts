/** Families that write calls as Python, between tags or as the whole answer. @module */
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
import { containsAny } from '../parsing/text-matching.js';
import { createTaggedCallParser } from '../parsing/tagged-calls.js';
import { jsonCall } from './json-calls.js';
import { barePythonCalls, pythonCalls } from './python-reader.js';

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
