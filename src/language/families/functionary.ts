/** `>>>f\n{…}` for calls and `>>>all\n` for the user, behind a prompt that ends with `>>>`: Functionary 3.2. @module */
import type { Tool } from '../../core/request/tool.js';
import { choice, literal, sequence } from '../grammar/expression.js';
import {
  further,
  JSON_VALUES,
  objectArguments,
  type ToolGrammar,
  type ToolGrammarOptions,
  triggered,
} from './format/call-grammar.js';
import { argumentsText } from './kinds/json-calls.js';
import { namedCall } from './kinds/named-calls.js';
import { withCalls, createThoughtBlockParser, writeParagraphs } from './kinds/thought-block.js';
import type { ModelFamily } from './format/model-family.js';
import { none } from './none.js';
import { anyOf, NAME } from './parsing/text-matching.js';
import { type CallShape, createTaggedCallParser } from './parsing/tagged-calls.js';

const NEXT = '>>>';
const TO_USER = 'all\n';

const call = namedCall([NAME, anyOf('\n')], [NEXT]);

/** A call of a function that the request offers: any word may begin an answer. */
const knownCall: CallShape = {
  begins(text, final, tools) {
    const isKnown = ({ name }: Tool): boolean => name.startsWith(text) || text.startsWith(`${name}\n`) || text === name;
    return tools.some(isKnown) ? call.begins(text, final, tools) : 'no';
  },
  createReader: (tools, ends) => call.createReader(tools, ends),
};

export const functionary = {
  name: 'functionary',
  tools: {
    recognise: (text) => text.includes(`${NEXT}all`) || text.includes(`${NEXT}\${recipient}`),
    openingTokens: [],
    createParser: (tools) =>
      createTaggedCallParser({ opens: [NEXT], closes: [], shapes: [knownCall], bare: [knownCall] }, tools),
    grammar: { tags: [], values: JSON_VALUES, arguments: objectArguments, calls: callGrammar },
    write: (calls) => calls.map(({ name, arguments: given }) => `${NEXT}${name}\n${argumentsText(given)}`).join('\n'),
    instruction: `Write each call in this form:\n${NEXT}<function name>\n<arguments as a JSON object>`,
  },
  // It does not think, but names the recipient of each message.
  reasoning: {
    ...none.reasoning,
    recognise: (source) => source.includes(`${NEXT}all`),
    createParser: ({ createToolParser }) =>
      withCalls(
        createThoughtBlockParser({
          opens: [],
          closes: [],
          startOpen: false,
          answer: { open: TO_USER, close: NEXT + TO_USER },
        }),
        createToolParser,
      ),
    grammar: { ...none.reasoning.grammar, frame: (content) => sequence(literal(TO_USER), content) },
    write: (_thought, text, calls) => writeParagraphs(text === '' ? '' : NEXT + TO_USER + text, calls),
  },
} as const satisfies ModelFamily;

function callGrammar(options: ToolGrammarOptions): ToolGrammar {
  const { rules, tools } = options;
  const one = rules.add(choice(...tools.map((tool) => sequence(literal(`${tool.name}\n`), tool.arguments))));
  const more = further(sequence(literal(`\n${NEXT}`), one), options);
  const calls = sequence(one, more);
  const text = sequence(literal(TO_USER), triggered(options, [NEXT], calls));
  return { required: calls, free: choice(calls, text) };
}
