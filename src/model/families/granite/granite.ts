/** `<|tool_call|>[{"name": …, "arguments": {…}}]` and thoughts in words: Granite 3.0 to 3.3. @module */
import { jsonCallTools } from '../kinds/json-calls.js';
import type { ModelFamily } from '../model-family.js';
import { TOOL_CALL_TAGS } from '../parsing/shapes/tool-call-tags.js';
import { thoughtBlock } from '../parsing/thought-block.js';

export const granite = {
  name: 'granite',
  tools: jsonCallTools({
    opens: ['<|tool_call|>'],
    closes: [],
    list: true,
    layout: '',
    keys: { name: 'name', arguments: 'arguments' },
    parsing: {
      ...TOOL_CALL_TAGS,
      opens: ['<|tool_call|>', '<tool_call>', '<function_call>'],
      closes: ['</tool_call>', '<|end_of_text|>'],
    },
    pattern: /<\|tool_call\|>|<\|start_of_role\|>available_tools|<\|start_of_role\|>tools/,
  }),
  reasoning: thoughtBlock({
    opens: ['Here is my thought process:', "Here's my thought process:"],
    closes: ['Here is my response:', "Here's my response:"],
    pattern: /Here is my thought process:/,
  }),
} as const satisfies ModelFamily;
