/** `<|START_ACTION|>[{"tool_name": …, "parameters": {…}}]<|END_ACTION|>`: Command R7B, Command A. @module */
import { jsonCallTools } from './kinds/json-calls.js';
import type { ModelFamily } from './format/model-family.js';
import { thoughtBlock } from './kinds/thought-block.js';

export const commandR7b = {
  name: 'command-r7b',
  tools: jsonCallTools({
    opens: ['<|START_ACTION|>'],
    closes: ['<|END_ACTION|>'],
    list: true,
    layout: '',
    keys: { name: 'tool_name', arguments: 'parameters' },
  }),
  reasoning: thoughtBlock({
    opens: ['<|START_THINKING|>'],
    closes: ['<|END_THINKING|>'],
    answer: { open: '<|START_RESPONSE|>', close: '<|END_RESPONSE|>' },
    layout: '',
  }),
} as const satisfies ModelFamily;
