/** `<tool_calls>[{"name": …, "arguments": {…}}]</tool_calls>`, answers between `<answer>`: Hunyuan, Jamba, Apriel, MiniMax M1. @module */
import { jsonCallTools } from './kinds/json-calls.js';
import type { ModelFamily } from './format/model-family.js';
import { anyOf, BLANKS, maybe, NAME } from './parsing/text-matching.js';
import { namedCall } from './kinds/named-calls.js';
import { elementCall } from './kinds/element-reader.js';
import { argumentPairs, TOOL_CALL } from './kinds/tool-call-tags.js';
import { thoughtBlock } from './kinds/thought-block.js';

const ANSWER = { open: '<answer>', close: '</answer>' };

export const hunyuan = {
  name: 'hunyuan',
  tools: jsonCallTools({
    opens: ['<tool_calls>'],
    closes: ['</tool_call>', '</tool_calls>'],
    list: true,
    layout: '',
    moreShapes: [
      namedCall([
        anyOf('<tool_call>'),
        BLANKS,
        maybe('function<tool_sep>'),
        NAME,
        BLANKS,
        maybe('<tool_sep>'),
        BLANKS,
        maybe('```json', '```'),
      ]),
      elementCall(argumentPairs(TOOL_CALL)),
    ],
  }),
  reasoning: thoughtBlock({
    opens: ['<think>'],
    closes: ['</think>'],
    answer: ANSWER,
    signs: Object.values(ANSWER),
  }),
} as const satisfies ModelFamily;
