/** `<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="f"><steptml:parameter name="a">…`: Step 3. @module */
import { ARGUMENT_NAME, elementCallTools } from './kinds/element-calls.js';
import type { ModelFamily } from './format/model-family.js';
import { anyOf, BLANKS, maybe, NAME, TAG_END } from './parsing/text-matching.js';

const OPEN = '<｜tool_calls_begin｜>';
const CLOSE = '<｜tool_calls_end｜>';
const CALL = '<｜tool_call_begin｜>';
const KIND = 'function<｜tool_sep｜>';
const CALL_CLOSE = '<｜tool_call_end｜>';
const INVOKE = '<steptml:invoke name=';
const INVOKE_CLOSE = '</steptml:invoke>';
const PARAMETER = '<steptml:parameter name=';

export const step3 = {
  name: 'step3',
  tools: elementCallTools({
    open: OPEN,
    close: CLOSE,
    section: true,
    elements: {
      head: [maybe(CALL), BLANKS, maybe(KIND), BLANKS, anyOf(INVOKE), maybe('"'), NAME, maybe('"'), BLANKS, TAG_END],
      key: [anyOf(PARAMETER), maybe('"'), ARGUMENT_NAME, maybe('"'), BLANKS, TAG_END],
      valueCloses: ['</steptml:parameter>'],
      valueEnds: [PARAMETER, INVOKE_CLOSE],
      close: INVOKE_CLOSE,
      outerCloses: [CALL_CLOSE, CLOSE, INVOKE],
    },
    after: CALL_CLOSE,
    signs: [OPEN, 'steptml:'],
  }),
} as const satisfies ModelFamily;
