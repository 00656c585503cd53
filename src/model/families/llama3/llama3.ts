/** `{"name": …, "parameters": {…}}` as the whole answer, with or without `<|python_tag|>`: Llama 3.1, 3.2, 3.3. @module */
import { choice, literal, optional, sequence } from '../../grammar/expression.js';
import {
  JSON_VALUES,
  anyCall,
  further,
  objectArguments,
  textUnlike,
  type ToolGrammar,
  type ToolGrammarOptions,
} from '../grammar/tool-call-grammar.js';
import type { ModelFamily } from '../model-family.js';
import { argumentsText } from '../parsing/write-answer.js';
import { createLlama3Parser } from './llama3-parser.js';

const TAG = '<|python_tag|>';

/** The whole answer is calls or text; what begins like a call is one. */
export const llama3 = {
  name: 'llama3',
  tools: {
    recognise: (source) => /<\|python_tag\|>|Respond in the format \{"name"/.test(source),
    openingTokens: [TAG],
    createParser: createLlama3Parser,
    grammar: { tags: [TAG], values: JSON_VALUES, arguments: objectArguments, calls: callGrammar },
    write: (calls) =>
      calls
        .map(({ name, arguments: given }) => `{"name": ${JSON.stringify(name)}, "parameters": ${argumentsText(given)}}`)
        .join('; '),
    instruction:
      'To call functions, answer with nothing but JSON objects of this form, separated by semicolons:\n' +
      '{"name": <function name>, "parameters": <arguments as a JSON object>}',
  },
} as const satisfies ModelFamily;

function callGrammar(options: ToolGrammarOptions): ToolGrammar {
  const call = anyCall(options, 'parameters');
  const pythonTag = options.marker(TAG);
  const calls = sequence(
    pythonTag === undefined ? literal('') : optional(literal(pythonTag)),
    call,
    further(sequence(literal(';'), optional(literal(' ')), call), options),
  );
  return { required: calls, free: choice(calls, textUnlike('{', '<|')) };
}
