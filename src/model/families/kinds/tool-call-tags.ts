/** All that models write between `<tool_call>` and `</tool_call>`: small models mix the shapes up. @module */
import { anyOf, before, BLANKS, blanks, forgiven, maybe, NAME } from '../parsing/text-matching.js';
import type { TaggedCalls } from '../parsing/tagged-calls.js';
import { ARGUMENT_NAME, elementCall, type ElementSyntax } from './element-calls.js';
import { bareKnownCall, jsonCall, WRONG_CLOSES } from './json-calls.js';
import { fencedKnownCall, pythonDictCall } from './whole-calls.js';
import { namedCall } from './named-calls.js';

export const TOOL_CALL = { open: '<tool_call>', close: '</tool_call>' } as const;

export const FUNCTION = '<function=';
export const FUNCTION_CLOSE = '</function>';

/**
 * `<function=f>\n<parameter=a>\n1\n</parameter>\n</function>`.
 * @param close what closes the call around it
 * @param layout what stands between a value and its tags
 */
export function functionElements(close: string, layout: '' | '\n'): ElementSyntax {
  return {
    head: [anyOf(FUNCTION), BLANKS, forgiven('"'), NAME, forgiven('"'), BLANKS, anyOf('>')],
    key: [anyOf('<parameter='), BLANKS, forgiven('"'), ARGUMENT_NAME, forgiven('"'), BLANKS, anyOf('>')],
    layout,
    valueCloses: ['</parameter>'],
    valueEnds: ['<parameter=', FUNCTION_CLOSE, close],
    close: FUNCTION_CLOSE,
    outerCloses: [close, FUNCTION],
  };
}

export const ARGUMENT_KEY = '<arg_key>';

/**
 * `f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>`.
 * @param call the tags around it
 * @param prefix of the tags' names
 */
export function argumentPairs(call: { open: string; close: string }, prefix = ''): ElementSyntax {
  const key = ARGUMENT_KEY.replace('<', `<${prefix}`);
  return {
    head: [BLANKS, NAME, BLANKS, forgiven('<tool_sep>'), BLANKS, before(key)],
    key: [
      anyOf(key),
      BLANKS,
      ARGUMENT_NAME,
      BLANKS,
      anyOf(`</${prefix}arg_key>`),
      blanks('\n'),
      anyOf(`<${prefix}arg_value>`),
    ],
    valueCloses: [`</${prefix}arg_value>`],
    valueEnds: [call.close],
    close: call.close,
    outerCloses: [call.open, '</tool_calls>'],
  };
}

/** `f</tool_call>`: the same without arguments. */
const nameAlone = elementCall({
  head: [BLANKS, NAME, BLANKS, before(TOOL_CALL.close)],
  key: [anyOf(ARGUMENT_KEY)],
  valueCloses: ['</arg_value>'],
  valueEnds: [],
  close: TOOL_CALL.close,
  knownNames: true,
  outerCloses: [],
});

/** `<function=f>{"a": 1}</function>`. */
export const functionJson = namedCall([anyOf(FUNCTION), NAME, anyOf('>')]);

/** `<function name="f">{"a": 1}</function>`, and the same with an element for each argument. */
const QUOTED_FUNCTION = [anyOf('<function'), BLANKS, anyOf('name="'), NAME, anyOf('">')];
const quotedFunctionElements = elementCall({
  head: [...QUOTED_FUNCTION, BLANKS, before('<param', FUNCTION_CLOSE)],
  key: [anyOf('<param'), maybe('eter'), BLANKS, anyOf('name="'), ARGUMENT_NAME, anyOf('">')],
  cdata: true,
  valueCloses: ['</param>', '</parameter>'],
  valueEnds: [FUNCTION_CLOSE],
  close: FUNCTION_CLOSE,
  outerCloses: [TOOL_CALL.close, '<function'],
});

export const TOOL_CALL_TAGS: TaggedCalls = {
  opens: [TOOL_CALL.open],
  headOpens: [FUNCTION, '<function name="'],
  closes: [TOOL_CALL.close, FUNCTION_CLOSE, '</tool_calls>', ...WRONG_CLOSES],
  shapes: [
    pythonDictCall,
    jsonCall,
    functionJson,
    elementCall(functionElements(TOOL_CALL.close, '\n')),
    namedCall(QUOTED_FUNCTION),
    quotedFunctionElements,
    namedCall([NAME, BLANKS, maybe('```json', '```')]),
    elementCall(argumentPairs(TOOL_CALL)),
    nameAlone,
  ],
  bare: [bareKnownCall],
  fenced: fencedKnownCall,
};
