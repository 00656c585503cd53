/** `[f(a=1, b="x"), g()]`: Llama 3.2 and 4, LFM 2, ToolACE. @module */
import { choice, literal, NEVER, optional, sequence } from '../../constraints/grammar/expression.js';
import type { ObjectFrame } from '../../constraints/grammar/object-frame.js';
import { further, textUnlike, type ToolGrammar, type ToolGrammarOptions } from '../grammar/tool-call-grammar.js';
import type { ModelFamily } from '../model-family.js';
import { createPythonicParser } from './pythonic-parser.js';
import { writePythonCall } from './write-python.js';

const FRAMES = [
  ['<|tool_call_start|>', '<|tool_call_end|>'],
  ['<|python_start|>', '<|python_end|>'],
] as const;

const KEYWORD_ARGUMENTS: ObjectFrame = {
  open: '(',
  close: ')',
  key: (name) => (/^[A-Za-z_]\w*$/.test(name) ? literal(`${name}=`) : NEVER),
  extraKeys: false,
};

/** Arguments are Python's literals, and come out as JSON. */
export const pythonic = {
  name: 'pythonic',
  tools: {
    recognise: ({ source }) => /<\|python_start\|>|pythonic|\[func_name1\(/.test(source),
    openingTokens: FRAMES.map(([open]) => open),
    createParser: createPythonicParser,
    grammar: {
      tags: FRAMES.flat(),
      language: 'python',
      arguments: (schema) => schema.members(KEYWORD_ARGUMENTS),
      calls: callGrammar,
    },
    write: (calls) => `[${calls.map(writePythonCall).join(', ')}]`,
    instruction:
      'To call functions, answer with nothing but a list of calls in Python, all arguments by name:\n' +
      '[first_function(name="value", count=1), second_function()]',
  },
} as const satisfies ModelFamily;

function callGrammar(options: ToolGrammarOptions): ToolGrammar {
  const { rules, tools } = options;
  const call = rules.add(choice(...tools.map((tool) => sequence(literal(tool.name), tool.arguments))));
  const next = sequence(literal(','), optional(literal(' ')), call);
  const list = sequence(literal('['), call, further(next, options), literal(']'));
  const framed = FRAMES.flatMap(([open, close]) => {
    const [first, last] = [options.marker(open), options.marker(close)];
    return first === undefined || last === undefined ? [] : [sequence(literal(first), list, literal(last))];
  });
  const calls = framed.length > 0 ? choice(...framed) : list;
  return { required: calls, free: choice(calls, textUnlike('[', '<|')) };
}
