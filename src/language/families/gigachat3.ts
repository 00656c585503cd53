/** `function call<|role_sep|>\n{"name": …, "arguments": {…}}`: GigaChat 3. @module */
import { jsonCall, jsonCallTools } from './kinds/json-calls.js';
import type { ModelFamily } from './format/model-family.js';

const TURN_END = '<|message_sep|>';
const ROLE = 'function call<|role_sep|>';

/** What later models write in place of a turn of its own. */
export const FUNCTION_CALL = '<|function_call|>';

/** A call follows the end of an answer, which is empty more often than not. */
export const GIGACHAT_PARSING = {
  opens: [`${TURN_END}\n\n${ROLE}`, ROLE, TURN_END + FUNCTION_CALL, FUNCTION_CALL],
  closes: [TURN_END, '</s>'],
  shapes: [jsonCall],
};

export const gigaChat3 = {
  name: 'gigachat3',
  tools: jsonCallTools({
    opens: [ROLE],
    closes: [],
    list: false,
    layout: '\n',
    parsing: GIGACHAT_PARSING,
    signs: [ROLE, "'role': 'function call'"],
  }),
} as const satisfies ModelFamily;
