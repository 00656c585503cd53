/** Families that write calls as JSON objects between tags. What they differ in is data. @module */
import { literal, sequence } from '../../grammar/expression.js';
import { comma } from '../../grammar/value-style.js';
import { tag } from '../grammar/tags.js';
import {
  anyCall,
  further,
  JSON_VALUES,
  objectArguments,
  type ToolGrammar,
  type ToolGrammarOptions,
  triggered,
} from '../grammar/tool-call-grammar.js';
import type { ToolSyntax } from '../model-family.js';
import type { CallShape } from '../parsing/call-shape.js';
import { jsonCall } from '../parsing/shapes/json-call.js';
import { createTaggedCallParser, type TaggedCalls } from '../parsing/tagged-calls.js';
import { argumentsText } from '../parsing/write-answer.js';

/** What one family writes. */
export interface JsonCalls {
  /** Before and after the calls; the first of each is what is written, all are read. */
  opens: readonly [string, ...string[]];
  closes: readonly string[];
  /** All calls in one list, or each in tags of its own. */
  list: boolean;
  /** Between tag and JSON. */
  layout: '' | '\n' | ' ';
  keys: { name: string; arguments: string };
  /** What else is read behind the tags. */
  moreShapes?: readonly CallShape[];
  /** How answers are read, where that is more than what is written. */
  parsing?: TaggedCalls;
  /** What of a rendered conversation, or of a template, shows the family. */
  pattern: RegExp;
  /** Calls that this begins end a thought that is still open. */
  endsThought?: readonly string[];
}

/** The syntax of such a family. */
export function jsonCallTools(family: JsonCalls): ToolSyntax {
  const [open] = family.opens;
  const close = family.closes[0] ?? '';
  const { keys, layout } = family;
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
    recognise: (text) => family.pattern.test(text),
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
      const written = calls.map(
        ({ name, arguments: given }) =>
          `{"${keys.name}": ${JSON.stringify(name)}, "${keys.arguments}": ${argumentsText(given)}}`,
      );
      return family.list ? frame(written.join(', ')) : written.map(frame).join('\n');
    },
    instruction: family.list
      ? `Write all calls as one JSON list between tags:\n${frame(example)}`
      : `Write each call as a JSON object between tags:\n${frame(example)}`,
  };
}
