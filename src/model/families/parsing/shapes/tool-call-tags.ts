/** All that models write between `<tool_call>` and `</tool_call>`; small models mix the shapes up. @module */
import { anyOf, before, BLANKS, maybe, NAME } from '../match-head.js';
import type { TaggedCalls } from '../tagged-calls.js';
import { bareKnownCall, jsonCall } from './json-call.js';
import { namedCall } from './named-call.js';
import { parameterCall } from './parameter-call.js';

const ARGUMENT_NAME = { type: 'word', character: /[^<>="\s]/ } as const;

/** `<function=f>\n<parameter=a>\n1\n</parameter>\n</function>`: Qwen 3 Coder, Qwen 3.5, Nemotron 3. */
export const functionElements = parameterCall({
  head: [anyOf('<function='), BLANKS, maybe('"'), NAME, maybe('"'), BLANKS, anyOf('>')],
  key: [anyOf('<parameter='), BLANKS, maybe('"'), ARGUMENT_NAME, maybe('"'), BLANKS, anyOf('>')],
  valueEnds: ['</parameter>', '<parameter=', '</function>', '</tool_call>'],
  close: '</function>',
  outerCloses: ['</tool_call>', '</seed:tool_call>', '<function='],
});

/** `f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>`: GLM 4.5 and later. */
export const argumentPairs = parameterCall({
  head: [BLANKS, NAME, BLANKS, maybe('<tool_sep>'), BLANKS, before('<arg_key>')],
  key: [anyOf('<arg_key>'), BLANKS, ARGUMENT_NAME, BLANKS, anyOf('</arg_key>'), BLANKS, anyOf('<arg_value>')],
  valueEnds: ['</arg_value>', '</tool_call>'],
  close: '</tool_call>',
  outerCloses: ['<tool_call>', '</tool_calls>'],
});

/** `f</tool_call>`: the same without arguments. */
const nameAlone = parameterCall({
  head: [BLANKS, NAME, BLANKS, before('</tool_call>')],
  key: [anyOf('<arg_key>')],
  valueEnds: [],
  close: '</tool_call>',
  knownNames: true,
  outerCloses: [],
});

/** `<function=f>{"a": 1}</function>`: Llama 3.1 as it was taught first, Functionary. */
export const functionJson = namedCall([anyOf('<function='), NAME, anyOf('>')]);

/** `<function name="f">{"a": 1}</function>`, and the same with an element for each argument. */
const QUOTED_FUNCTION = [anyOf('<function'), BLANKS, anyOf('name="'), NAME, anyOf('">')];
const quotedFunctionElements = parameterCall({
  head: [...QUOTED_FUNCTION, BLANKS, before('<param', '</function>')],
  key: [anyOf('<param'), maybe('eter'), BLANKS, anyOf('name="'), ARGUMENT_NAME, anyOf('">')],
  valueEnds: ['</param>', '</parameter>', '</function>'],
  close: '</function>',
  outerCloses: ['</tool_call>', '<function'],
});

export const TOOL_CALL_TAGS: TaggedCalls = {
  opens: ['<tool_call>'],
  headOpens: ['<function=', '<function name="'],
  closes: ['</tool_call>', '</function>', '</tool_calls>'],
  shapes: [
    jsonCall,
    functionJson,
    functionElements,
    namedCall(QUOTED_FUNCTION),
    quotedFunctionElements,
    namedCall([NAME, BLANKS, maybe('```json', '```')]),
    argumentPairs,
    nameAlone,
  ],
  bare: [bareKnownCall],
};
