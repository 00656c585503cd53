/** `[{"name": …, "arguments": {…}}]` as the whole answer, often in a fence: Hammer 2.1, xLAM 1 and 2. @module */
import { choice, literal, sequence } from '../grammar/expression.js';
import { comma } from '../grammar/value-style.js';
import {
  anyCall,
  further,
  JSON_VALUES,
  objectArguments,
  textUnlike,
  type ToolGrammar,
  type ToolGrammarOptions,
} from './format/call-grammar.js';
import type { ModelFamily } from './format/model-family.js';
import { bareJsonCalls, jsonCall, writeCallObject } from './kinds/json-calls.js';
import { createTaggedCallParser } from './parsing/tagged-calls.js';
import { containsAny } from './parsing/text-matching.js';

/** A list of something else is text, as is one later in an answer. */
export const jsonList = {
  name: 'json-list',
  tools: {
    recognise: (text) =>
      containsAny(text, [
        '[BEGIN OF TASK INSTRUCTION]',
        '[BEGIN OF AVAILABLE TOOLS]',
        'make calls in a single JSON array',
      ]),
    openingTokens: [],
    createParser: (tools) =>
      createTaggedCallParser(
        {
          opens: ['<tool_call>', '[TOOL_CALLS]'],
          closes: ['```', '</tool_call>'],
          shapes: [jsonCall],
          bare: [bareJsonCalls],
        },
        tools,
      ),
    grammar: { tags: [], values: JSON_VALUES, arguments: objectArguments, calls: callGrammar },
    write: (calls) => `[${calls.map((call) => writeCallObject(call)).join(', ')}]`,
    instruction:
      'To call functions, answer with nothing but a JSON list of this form:\n' +
      '[{"name": <function name>, "arguments": <arguments as a JSON object>}]',
  },
} as const satisfies ModelFamily;

function callGrammar(options: ToolGrammarOptions): ToolGrammar {
  const call = anyCall(options, 'arguments');
  const next = sequence(comma(options.style), call);
  const calls = sequence(literal('['), call, further(next, options), literal(']'));
  return { required: calls, free: choice(calls, textUnlike('[', '``')) };
}
