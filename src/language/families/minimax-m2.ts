/** `<minimax:tool_call><invoke name="f"><parameter name="a">…` and `<think>…</think>`: MiniMax M2. @module */
import { ARGUMENT_NAME, elementCallTools } from './kinds/element-calls.js';
import { thoughtBlock } from './kinds/thought-block.js';
import type { ModelFamily } from './format/model-family.js';
import { anyOf, BLANKS, maybe, NAME, TAG_END } from './parsing/text-matching.js';

const OPEN = '<minimax:tool_call>';
const CLOSE = '</minimax:tool_call>';
const INVOKE = '<invoke name=';
const PARAMETER = '<parameter name=';

export const minimaxM2 = {
  name: 'minimax-m2',
  tools: elementCallTools({
    open: OPEN,
    close: CLOSE,
    section: true,
    elements: {
      head: [anyOf(INVOKE), maybe('"'), NAME, maybe('"'), BLANKS, TAG_END],
      key: [anyOf(PARAMETER), maybe('"'), ARGUMENT_NAME, maybe('"'), BLANKS, TAG_END],
      valueCloses: ['</parameter>'],
      valueEnds: [PARAMETER, '</invoke>'],
      close: '</invoke>',
      outerCloses: [CLOSE, '<invoke'],
    },
  }),
  // Its template has tags of answers, too: around results.
  reasoning: thoughtBlock({ opens: ['<think>'], closes: ['</think>'], signs: [OPEN] }),
} as const satisfies ModelFamily;
