/** Families of Google's: `call:name{key:<quote>text<quote>,n:1}`. @module */
import { choice, literal, sequence } from '../../grammar/expression.js';
import { spellings, tag } from '../grammar/tags.js';
import { further, type ToolGrammar, type ToolGrammarOptions, triggered } from '../grammar/tool-call-grammar.js';
import type { ToolSyntax } from '../model-family.js';
import { jsonCall } from '../parsing/shapes/json-call.js';
import { looseObjectCall } from '../parsing/shapes/loose-object-call.js';
import { createTaggedCallParser } from '../parsing/tagged-calls.js';

/** What one family writes. */
export interface LooseObjectCalls {
  open: string;
  close: string;
  /** What begins and ends a string. */
  quote: string;
  /** What may follow calls and means nothing. */
  closes: readonly string[];
  pattern: RegExp;
  endsThought?: readonly string[];
}

/** The syntax of such a family. */
export function looseObjectTools(family: LooseObjectCalls): ToolSyntax {
  const { open, close, quote } = family;

  const callGrammar = (options: ToolGrammarOptions): ToolGrammar => {
    const { rules, tools, marker } = options;
    const call = rules.add(choice(...tools.map((tool) => sequence(literal(`call:${tool.name}`), tool.arguments))));
    const body = sequence(call, tag(close, marker));
    const more = further(sequence(tag(open, marker), body), options);
    return {
      required: sequence(tag(open, marker), body, more),
      free: triggered(options, [open], sequence(body, more)),
    };
  };

  const write = (value: unknown): string => {
    if (typeof value === 'string') return `${quote}${value}${quote}`;
    if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
    return `{${Object.entries(value)
      .map(([key, item]) => `${key}:${write(item)}`)
      .join(',')}}`;
  };

  return {
    recognise: (text) => family.pattern.test(text),
    openingTokens: [open],
    createParser: (tools) =>
      createTaggedCallParser(
        { opens: [open], closes: [close, ...family.closes], shapes: [looseObjectCall([quote]), jsonCall] },
        tools,
      ),
    ...(family.endsThought && { endsThought: family.endsThought }),
    grammar: {
      tags: [open, close, quote],
      values: (marker) => {
        const mark = marker(quote) ?? quote;
        return {
          language: 'loose',
          spacing: 'compact',
          strings: { open: mark, close: mark, stops: spellings(quote, marker) },
        };
      },
      arguments: (schema) =>
        schema.members({ open: '{', close: '}', key: (name) => literal(`${name}:`), extraKeys: false }),
      calls: callGrammar,
    },
    write: (calls) =>
      calls
        .map(({ name, arguments: given }) => {
          const inside = typeof given === 'string' ? given : write(given);
          return `${open}call:${name}${inside.startsWith('{') ? inside : `{${inside}}`}${close}`;
        })
        .join(''),
    instruction: `Write each call in this form, strings between ${quote}:\n${open}call:example_function{first_argument:${quote}text${quote},second_argument:1}${close}`,
  };
}
