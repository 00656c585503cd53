/** Families that write a call as its name, a mark and its arguments as JSON. What they differ in is data. @module */
import { choice, type Expression, literal, sequence } from '../../grammar/expression.js';
import { spellings, tag } from '../grammar/tags.js';
import type { TokenMarker } from '../grammar/tags.js';
import {
  further,
  JSON_VALUES,
  objectArguments,
  type ToolGrammar,
  type ToolGrammarOptions,
} from '../grammar/tool-call-grammar.js';
import type { ToolSyntax } from '../model-family.js';
import { type HeadPart } from '../parsing/match-head.js';
import { jsonCall } from '../parsing/shapes/json-call.js';
import { namedCall } from '../parsing/shapes/named-call.js';
import { createTaggedCallParser } from '../parsing/tagged-calls.js';
import { argumentsText } from '../parsing/write-answer.js';

/** What one family writes. */
export interface NamedCalls {
  /** Around all calls; absent where each stands for itself. */
  section?: { open: string; close: string };
  /** Between two calls; absent: nothing. */
  separator?: string;
  /** Before the name. @param index of the call in the answer */
  before: string;
  /** Between name and arguments. */
  between: (index: number) => string;
  /** After the arguments. */
  after: string;
  /** How all of this is read: the tags, and what may stand around the name. */
  opens: readonly string[];
  closes: readonly string[];
  head: readonly HeadPart[];
  /** Single tokens among all that. */
  tags: readonly string[];
  pattern: RegExp;
}

/** The syntax of such a family. */
export function namedCallTools(family: NamedCalls): ToolSyntax {
  const { section } = family;

  const callGrammar = (options: ToolGrammarOptions): ToolGrammar => {
    const { rules, tools, marker } = options;
    const text = (value: string): Expression => withTokens(value, family.tags, marker);
    const callAt = (index: number): Expression =>
      rules.add(
        choice(
          ...tools.map((tool) =>
            sequence(literal(tool.name), text(family.between(index)), tool.arguments, text(family.after)),
          ),
        ),
      );
    const first = callAt(0);
    const more = further(sequence(literal(family.separator ?? ''), text(family.before), callAt(1)), options);
    const body = sequence(first, more, section ? text(section.close) : literal(''));
    const open = (section?.open ?? '') + family.before;
    const name = rules.reserve();
    rules.define(name, body);
    const triggers = openings(open, family.tags, marker).map((trigger) => ({ text: trigger, rule: name }));
    return {
      required: sequence(text(open), body),
      free: rules.add({ type: 'triggered-text', triggers, again: false }),
    };
  };

  return {
    recognise: (text) => family.pattern.test(text),
    openingTokens: family.tags.slice(0, 1),
    createParser: (tools) =>
      createTaggedCallParser(
        { opens: family.opens, closes: family.closes, shapes: [namedCall(family.head), jsonCall] },
        tools,
      ),
    grammar: { tags: family.tags, values: JSON_VALUES, arguments: objectArguments, calls: callGrammar },
    write: (calls) => {
      const written = calls.map(
        ({ name, arguments: given }, index) =>
          `${family.before}${name}${family.between(index)}${argumentsText(given)}${family.after}`,
      );
      return `${section?.open ?? ''}${written.join(family.separator ?? '')}${section?.close ?? ''}`;
    },
    instruction:
      'Write each call in exactly this form:\n' +
      `${section?.open ?? ''}${family.before}<function name>${family.between(0)}<arguments as a JSON object>${family.after}${section?.close ?? ''}`,
  };
}

/** A text in which tags are their tokens, where the vocabulary has them. */
function withTokens(text: string, tags: readonly string[], marker: TokenMarker): Expression {
  const parts: Expression[] = [];
  let rest = text;
  while (rest !== '') {
    const found = tags.map((each) => ({ each, at: rest.indexOf(each) })).filter(({ at }) => at >= 0);
    const next = found.toSorted((a, b) => a.at - b.at)[0];
    if (!next) {
      parts.push(literal(rest));
      break;
    }
    parts.push(literal(rest.slice(0, next.at)), tag(next.each, marker));
    rest = rest.slice(next.at + next.each.length);
  }
  return sequence(...parts);
}

/** The spellings of an opening: all in letters, or all tags as tokens. */
function openings(text: string, tags: readonly string[], marker: TokenMarker): string[] {
  let reserved = text;
  for (const each of tags) reserved = reserved.replaceAll(each, spellings(each, marker)[0]!);
  return reserved === text ? [text] : [reserved, text];
}
