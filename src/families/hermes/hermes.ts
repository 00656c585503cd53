/** `<tool_call>{"name": …, "arguments": {…}}</tool_call>`: Hermes, Qwen 2.5 and 3, tiny-chat. @module */
import { literal, sequence } from '../../constraints/grammar/expression.js';
import { tag } from '../grammar/tags.js';
import {
  anyCall,
  further,
  objectArguments,
  type ToolGrammar,
  type ToolGrammarOptions,
  triggered,
} from '../grammar/tool-call-grammar.js';
import type { ModelFamily } from '../model-family.js';
import { argumentsText } from '../parsing/write-answer.js';
import { createHermesParser } from './hermes-parser.js';

/** Also what models are taught in the prompt whose template knows no tools. */
export const hermes = {
  name: 'hermes',
  tools: {
    recognise: ({ source }) => source.includes('<tool_call>'),
    openingTokens: ['<tool_call>'],
    createParser: createHermesParser,
    grammar: {
      tags: ['<tool_call>', '</tool_call>'],
      language: 'json',
      arguments: objectArguments,
      calls: callGrammar,
    },
    write: (calls) =>
      calls
        .map(({ name, arguments: given }) => {
          const call = `{"name": ${JSON.stringify(name)}, "arguments": ${argumentsText(given)}}`;
          return `<tool_call>\n${call}\n</tool_call>`;
        })
        .join('\n'),
    instruction: [
      'Write each call as a JSON object with the function name and its arguments, between tags:',
      '<tool_call>\n{"name": <function name>, "arguments": <arguments as a JSON object>}\n</tool_call>',
    ].join('\n'),
  },
} as const satisfies ModelFamily;

function callGrammar(options: ToolGrammarOptions): ToolGrammar {
  const end = tag('</tool_call>', options.marker);
  const body = sequence(literal('\n'), anyCall(options, 'arguments'), literal('\n'), end);
  const open = tag('<tool_call>', options.marker);
  const more = further(sequence(literal('\n'), open, body), options);
  return { required: sequence(open, body, more), free: triggered(options, ['<tool_call>'], sequence(body, more)) };
}
