/** `<|tool_call|>[{"name": …, "arguments": {…}}]<|/tool_call|>`: Phi-4-mini. @module */
import { jsonCallTools } from './kinds/json-calls.js';
import type { ModelFamily } from './format/model-family.js';

const CLOSE = '<|/tool_call|>';

/** What follows `functools` is the same list, as the model was taught before it had tokens for it. */
export const phi4Mini = {
  name: 'phi4-mini',
  tools: jsonCallTools({
    opens: ['<|tool_call|>', 'functools'],
    closes: [CLOSE],
    list: true,
    layout: '',
    // Its opening tag is also that of other models.
    signs: [CLOSE, '<|/tool|>', 'functools['],
  }),
} as const satisfies ModelFamily;
