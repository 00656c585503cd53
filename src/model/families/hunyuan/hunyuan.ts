/** `<tool_calls>[{"name": …, "arguments": {…}}]</tool_calls>`, answers between `<answer>`: Hunyuan. @module */
import { jsonCallTools } from '../kinds/json-calls.js';
import type { ModelFamily } from '../model-family.js';
import { anyOf, BLANKS, maybe, NAME } from '../parsing/match-head.js';
import { namedCall } from '../parsing/shapes/named-call.js';
import { argumentPairs } from '../parsing/shapes/tool-call-tags.js';
import { thoughtBlock } from '../parsing/thought-block.js';

/** The same list is what Jamba, Apriel and MiniMax M1 write. */
export const hunyuan = {
  name: 'hunyuan',
  tools: jsonCallTools({
    opens: ['<tool_calls>'],
    closes: ['</tool_call>', '</tool_calls>'],
    list: true,
    layout: '',
    keys: { name: 'name', arguments: 'arguments' },
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
      argumentPairs,
    ],
    pattern: /<tool_calls>/,
  }),
  reasoning: thoughtBlock({
    opens: ['<think>'],
    closes: ['</think>'],
    answer: { open: '<answer>', close: '</answer>' },
    pattern: /<answer>|<\/answer>/,
  }),
} as const satisfies ModelFamily;
