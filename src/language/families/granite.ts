/** `<|tool_call|>[{"name": …, "arguments": {…}}]` and thoughts in words: Granite 3.0 to 3.3. @module */
import { jsonCallTools } from './kinds/json-calls.js';
import type { ModelFamily } from './format/model-family.js';
import { TOOL_CALL_TAGS } from './kinds/tool-call-tags.js';
import { thoughtBlock } from './kinds/thought-block.js';

const OPEN = '<|tool_call|>';

export const granite = {
  name: 'granite',
  tools: jsonCallTools({
    opens: [OPEN],
    closes: [],
    list: true,
    layout: '',
    parsing: {
      ...TOOL_CALL_TAGS,
      opens: [OPEN, ...TOOL_CALL_TAGS.opens, '<function_call>'],
      closes: ['</tool_call>', '<|end_of_text|>'],
    },
    signs: [OPEN, '<|start_of_role|>available_tools', '<|start_of_role|>tools'],
  }),
  reasoning: thoughtBlock({
    opens: ['Here is my thought process:', "Here's my thought process:"],
    closes: ['Here is my response:', "Here's my response:"],
  }),
} as const satisfies ModelFamily;
