/** `<|action_start|><|plugin|>{"name": …, "parameters": {…}}<|action_end|>`: InternLM 2.5 and 3. @module */
import { jsonCallTools } from './kinds/json-calls.js';
import type { ModelFamily } from './format/model-family.js';

export const internlm2 = {
  name: 'internlm2',
  tools: jsonCallTools({
    opens: ['<|action_start|><|plugin|>', '<|action_start|> <|plugin|>'],
    closes: ['<|action_end|>'],
    list: false,
    layout: '\n',
    keys: { name: 'name', arguments: 'parameters' },
    signs: ['<|action_start|>'],
  }),
} as const satisfies ModelFamily;
