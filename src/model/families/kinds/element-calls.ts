/** Families that write one element per argument, strings as plain text. What they differ in is data. @module */
import { choice, type Expression, literal, NEVER, sequence } from '../../grammar/expression.js';
import { tag } from '../grammar/tags.js';
import {
  further,
  JSON_VALUES,
  type ToolGrammar,
  type ToolGrammarOptions,
  triggered,
} from '../grammar/tool-call-grammar.js';
import type { ToolSyntax, WrittenCall } from '../model-family.js';
import { createTaggedCallParser, type TaggedCalls } from '../parsing/tagged-calls.js';

/** What one family writes. */
export interface ElementCalls {
  /** Around a call, where `section` says so around all calls. */
  open: string;
  close: string;
  section: boolean;
  /** The name follows the opening tag in the same line. */
  joined?: boolean;
  /** Around the name; after the arguments. */
  name: readonly [before: string, after: string];
  end: string;
  /** Around a key, and after its value. */
  key: readonly [before: string, after: string];
  valueClose: string;
  /** What closes the text of a string: `valueClose` without layout. */
  stop: string;
  parsing: TaggedCalls;
  pattern: RegExp;
  endsThought?: readonly string[];
}

/** The syntax of such a family. */
export function elementCallTools(family: ElementCalls): ToolSyntax {
  const { open, close, name, key, end } = family;
  const tags = [open, close];
  const gap = family.joined === true ? '' : '\n';

  const callGrammar = (options: ToolGrammarOptions): ToolGrammar => {
    const { rules, tools, marker } = options;
    const one = rules.add(
      choice(...tools.map((tool) => sequence(literal(name[0] + tool.name + name[1]), tool.arguments, literal(end)))),
    );
    const [first, last] = [tag(open, marker), sequence(literal(family.section ? '\n' : ''), tag(close, marker))];
    const next = family.section
      ? sequence(literal('\n'), one)
      : sequence(literal('\n'), first, literal(gap), one, last);
    const body = family.section
      ? sequence(literal('\n'), one, further(next, options), last)
      : sequence(literal(gap), one, last, further(next, options));
    return { required: sequence(first, body), free: triggered(options, [open], body) };
  };

  const writeCall = ({ name: called, arguments: given }: WrittenCall): string => {
    const values = typeof given === 'string' ? [] : Object.entries(given);
    const elements = values.map(([each, value]) => `${key[0]}${each}${key[1]}${plain(value)}${family.valueClose}`);
    return `${name[0]}${called}${name[1]}${elements.join('')}${end}`;
  };
  const frame = (inside: string): string => `${open}${gap}${inside}${family.section ? '\n' : ''}${close}`;
  const write = (calls: readonly WrittenCall[]): string =>
    family.section ? frame(calls.map(writeCall).join('\n')) : calls.map((call) => frame(writeCall(call))).join('\n');

  return {
    recognise: (text) => family.pattern.test(text),
    openingTokens: [open],
    createParser: (tools) => createTaggedCallParser(family.parsing, tools),
    ...(family.endsThought && { endsThought: family.endsThought }),
    grammar: {
      tags,
      values: JSON_VALUES,
      arguments: (schema) =>
        schema.members({
          open: '',
          close: '',
          separator: literal(''),
          key: (each) => keyGrammar(each, key),
          extraKeys: false,
          text: { open: '', close: family.valueClose, stops: [family.stop] },
        }),
      calls: callGrammar,
    },
    write,
    instruction:
      'Write each call in this form, one element per argument, strings as they are and other values as JSON:\n' +
      write([{ name: 'example_function', arguments: { first_argument: 'text', second_argument: 1 } }]),
  };
}

function keyGrammar(key: string, [before, after]: ElementCalls['key']): Expression {
  return /^[^<>="\s]+$/.test(key) ? literal(before + key + after) : NEVER;
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
