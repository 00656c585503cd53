/** `<|tool_call|>[{"name": …, "arguments": {…}}]<|/tool_call|>`: Phi-4-mini. @module */
import { jsonCallTools } from '../kinds/json-calls.js';
import type { ModelFamily } from '../model-family.js';

/** What follows `functools` is the same list, as the model was taught before it had tokens for it. */
export const phi4Mini = {
  name: 'phi4-mini',
  tools: jsonCallTools({
    opens: ['<|tool_call|>', 'functools'],
    closes: ['<|/tool_call|>'],
    list: true,
    layout: '',
    keys: { name: 'name', arguments: 'arguments' },
    pattern: /<\|\/tool_call\|>|<\|\/tool\|>|functools\[/,
  }),
} as const satisfies ModelFamily;
