/** `<function_call> {"name": …, "arguments": {…}}`: Granite 20B Function Calling. @module */
import { jsonCall, jsonCallTools } from './kinds/json-calls.js';
import type { ModelFamily } from './format/model-family.js';

const OPEN = '<function_call>';

export const granite20b = {
  name: 'granite-20b',
  tools: jsonCallTools({
    opens: [OPEN],
    closes: [],
    list: false,
    layout: ' ',
    parsing: { opens: [OPEN], closes: ['</function_call>', '<|end_of_text|>'], shapes: [jsonCall] },
    signs: [OPEN, '<|function_call_library|>'],
  }),
} as const satisfies ModelFamily;
