/** Families that write one element per argument, strings as plain text. What they differ in is data. @module */
import { NEVER, choice, literal, sequence } from '../../grammar/expression.js';
import {
  JSON_VALUES,
  type ToolGrammar,
  type ToolGrammarOptions,
  further,
  tag,
  triggered,
} from '../format/call-grammar.js';
import type { ToolSyntax, WrittenCall } from '../format/model-family.js';
import { type TaggedCalls, createTaggedCallParser } from '../parsing/tagged-calls.js';
import { aroundName, beginnings, containsAny, type HeadPart, writeHead } from '../parsing/text-matching.js';
import { elementCall, type ElementSyntax } from './element-reader.js';

/** What one family writes. */
export interface ElementCalls {
  /** Around a call, where `section` says so around all calls. */
  open: string;
  close: string;
  section?: boolean;
  /** What else is read in place of these two tags. */
  otherFrames?: readonly (readonly [open: string, close: string])[];
  /** Stands behind each call, and means nothing. */
  after?: string;
  /** The name follows the opening tag in the same line. */
  joined?: boolean;
  elements: ElementSyntax;
  /** How answers are read, where that is more than what is written. */
  parsing?: TaggedCalls;
  /** What shows the family in a text; absent: the opening tag. */
  signs?: readonly (string | RegExp)[];
  endsThought?: readonly string[];
}

/** Names of arguments. */
export const ARGUMENT_NAME: HeadPart = { type: 'word', character: /[^<>="\s]/ };

/** The syntax of such a family. */
export function elementCallTools(family: ElementCalls): ToolSyntax {
  const { open, close, section = false, elements, otherFrames = [], after = '' } = family;
  const [beforeName, afterName] = aroundName(elements.head).map((parts) => writeHead(parts)) as [string, string];
  const { layout = '' } = elements;
  const end = elements.close === close ? '' : elements.close + after + (section ? '' : '\n');
  const valueClose = `${layout}${elements.valueCloses[0]}\n`;
  const secondWord = elements.key.findLastIndex(({ type }) => type === 'word');
  const isTyped = elements.key.findIndex(({ type }) => type === 'word') < secondWord;
  const typeIndex = isTyped ? secondWord : elements.key.length;
  const writeKey = (key: string): string => writeHead(elements.key.slice(0, typeIndex), [key]);
  const writeType = (isString: boolean): string =>
    writeHead(elements.key.slice(typeIndex), [String(isString)]) + layout;
  const gap = family.joined === true ? '' : '\n';
  const frames = { open, close, section, gap, beforeName, afterName, end };

  const writeCall = ({ name: called, arguments: given }: WrittenCall): string => {
    const values = typeof given === 'string' ? [] : Object.entries(given);
    const written = values.map(
      ([each, value]) => writeKey(each) + writeType(typeof value === 'string') + plain(value) + valueClose,
    );
    return `${beforeName}${called}${afterName}\n${written.join('')}${end}`;
  };
  const frame = (inside: string): string => `${open}${gap}${inside}${section ? '\n' : ''}${close}`;
  const write = (calls: readonly WrittenCall[]): string =>
    section ? frame(calls.map(writeCall).join('\n')) : calls.map((call) => frame(writeCall(call))).join('\n');

  const parsing = family.parsing ?? {
    opens: [open, ...otherFrames.map(([each]) => each)],
    headOpens: beginnings(elements.head),
    closes: [close, elements.close, ...otherFrames.map(([, each]) => each), ...(after === '' ? [] : [after])],
    shapes: [elementCall(elements)],
  };

  return {
    recognise: (text) => containsAny(text, family.signs ?? [open]),
    openingTokens: [open],
    createParser: (tools) => createTaggedCallParser(parsing, tools),
    ...(family.endsThought && { endsThought: family.endsThought }),
    grammar: {
      tags: [open, close],
      values: JSON_VALUES,
      arguments: (schema) =>
        schema.members({
          open: '',
          close: '',
          separator: literal(''),
          key: (key) => (/^[^<>="\s]+$/.test(key) ? literal(writeKey(key)) : NEVER),
          extraKeys: false,
          text: {
            open: writeType(true),
            otherOpen: writeType(false),
            close: valueClose,
            stops: [elements.valueCloses[0]],
          },
        }),
      calls: (options) => callGrammar(frames, options),
    },
    write,
    instruction:
      'Write each call in this form, one element per argument, strings as they are and other values as JSON:\n' +
      write([{ name: 'example_function', arguments: { first_argument: 'text', second_argument: 1 } }]),
  };
}

/** What stands around calls, and around the arguments of one. */
type CallFrames = Record<'open' | 'close' | 'gap' | 'beforeName' | 'afterName' | 'end', string> & { section: boolean };

function callGrammar(
  { open, close, section, gap, beforeName, afterName, end }: CallFrames,
  options: ToolGrammarOptions,
): ToolGrammar {
  const { rules, tools, marker } = options;
  const one = rules.add(
    choice(
      ...tools.map((tool) =>
        sequence(literal(`${beforeName}${tool.name}${afterName}\n`), tool.arguments, literal(end)),
      ),
    ),
  );
  const [first, last] = [tag(open, marker), sequence(literal(section ? '\n' : ''), tag(close, marker))];
  const next = section ? sequence(literal('\n'), one) : sequence(literal('\n'), first, literal(gap), one, last);
  const body = section
    ? sequence(literal('\n'), one, further(next, options), last)
    : sequence(literal(gap), one, last, further(next, options));
  return { required: sequence(first, body), free: triggered(options, [open], body) };
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
