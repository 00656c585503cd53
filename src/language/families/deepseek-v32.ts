/** `<｜DSML｜invoke name="f"><｜DSML｜parameter name="a" string="true">…`: DeepSeek V3.2 and V4. @module */
import { ARGUMENT_NAME, elementCallTools } from './kinds/element-calls.js';
import type { ModelFamily } from './format/model-family.js';
import { anyOf, BLANKS, blanks, maybe, NAME, TAG_END } from './parsing/text-matching.js';

const MARK = '｜DSML｜';
const OPEN = `<${MARK}function_calls>`;
const CLOSE = `</${MARK}function_calls>`;
const INVOKE = `<${MARK}invoke name=`;
const INVOKE_CLOSE = `</${MARK}invoke>`;
const PARAMETER = `<${MARK}parameter name=`;

/** V4 calls the tags around all calls otherwise. */
const LATER_OPEN = `<${MARK}tool_calls>`;
const LATER_CLOSE = `</${MARK}tool_calls>`;

const elements = {
  head: [anyOf(INVOKE), maybe('"'), NAME, maybe('"'), BLANKS, TAG_END],
  key: [
    anyOf(PARAMETER),
    maybe('"'),
    ARGUMENT_NAME,
    maybe('"'),
    blanks(' '),
    maybe('string="'),
    { type: 'word', character: /[a-z]/, optional: true },
    maybe('"'),
    BLANKS,
    TAG_END,
  ],
  valueCloses: [`</${MARK}parameter>`],
  valueEnds: [PARAMETER, INVOKE_CLOSE],
  close: INVOKE_CLOSE,
  outerCloses: [CLOSE, LATER_CLOSE, INVOKE],
} as const;

export const deepseekV32 = {
  name: 'deepseek-v3.2',
  tools: elementCallTools({
    open: OPEN,
    close: CLOSE,
    section: true,
    elements,
    otherFrames: [[LATER_OPEN, LATER_CLOSE]],
    signs: [OPEN, LATER_OPEN, MARK],
  }),
} as const satisfies ModelFamily;
