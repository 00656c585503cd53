/** `[TOOL_CALLS] [{"name": …, "arguments": {…}}]` and `[TOOL_CALLS]name[ARGS]{…}`: Mistral, Ministral, Devstral. @module */
import { choice, literal, optional, sequence } from '../../grammar/expression.js';
import { comma } from '../../grammar/value-style.js';
import { tag } from '../grammar/tags.js';
import {
  JSON_VALUES,
  anyCall,
  further,
  objectArguments,
  type ToolGrammar,
  type ToolGrammarOptions,
  triggered,
} from '../grammar/tool-call-grammar.js';
import type { ModelFamily } from '../model-family.js';
import { argumentsText } from '../parsing/write-answer.js';
import { createMistralParser } from './mistral-parser.js';

const OPEN = '[TOOL_CALLS]';
const ARGUMENTS = '[ARGS]';

/** Which of the two forms a model writes shows in its vocabulary: newer ones have a token before the arguments. */
export const mistral = {
  name: 'mistral',
  tools: {
    recognise: (source) => source.includes(OPEN),
    openingTokens: [OPEN],
    createParser: createMistralParser,
    grammar: {
      tags: [OPEN, ARGUMENTS],
      values: JSON_VALUES,
      arguments: objectArguments,
      calls: (options) => (options.marker(ARGUMENTS) === undefined ? listGrammar(options) : namedGrammar(options)),
    },
    write: (calls) =>
      calls.map(({ name, arguments: given }) => `${OPEN}${name}${ARGUMENTS}${argumentsText(given)}`).join(''),
    instruction: `Write calls as a JSON list after a tag:\n${OPEN} [{"name": <function name>, "arguments": <arguments as a JSON object>}]`,
  },
} as const satisfies ModelFamily;

function listGrammar(options: ToolGrammarOptions): ToolGrammar {
  const call = anyCall(options, 'arguments');
  const list = sequence(literal('['), call, further(sequence(comma(options.style), call), options), literal(']'));
  const body = sequence(optional(literal(' ')), list);
  return { required: sequence(tag(OPEN, options.marker), body), free: triggered(options, [OPEN], body) };
}

function namedGrammar(options: ToolGrammarOptions): ToolGrammar {
  const { rules, tools, marker } = options;
  const body = rules.add(
    choice(...tools.map((tool) => sequence(literal(tool.name), tag(ARGUMENTS, marker), tool.arguments))),
  );
  const open = tag(OPEN, marker);
  const more = further(sequence(open, body), options);
  return { required: sequence(open, body, more), free: triggered(options, [OPEN], sequence(body, more)) };
}
