/** `<minimax:tool_call><invoke name="f"><parameter name="a">…`: MiniMax M2. @module */
import { ARGUMENT_NAME, elementCallTools } from './kinds/element-calls.js';
import type { ModelFamily } from './model-family.js';
import { anyOf, BLANKS, maybe, NAME } from './parsing/text-matching.js';

const CLOSE = '</minimax:tool_call>';
const INVOKE = '<invoke name=';
const PARAMETER = '<parameter name=';

export const minimaxM2 = {
  name: 'minimax-m2',
  tools: elementCallTools({
    open: '<minimax:tool_call>',
    close: CLOSE,
    section: true,
    elements: {
      head: [anyOf(INVOKE), maybe('"'), NAME, maybe('"'), BLANKS, anyOf('>')],
      key: [anyOf(PARAMETER), maybe('"'), ARGUMENT_NAME, maybe('"'), BLANKS, anyOf('>')],
      valueCloses: ['</parameter>'],
      valueEnds: [PARAMETER, '</invoke>'],
      close: '</invoke>',
      outerCloses: [CLOSE, '<invoke'],
    },
  }),
} as const satisfies ModelFamily;
