/** `<|function_call|>{"name": …, "arguments": {…}}`: GigaChat 3.1. @module */
import { FUNCTION_CALL, GIGACHAT_PARSING } from './gigachat3.js';
import { jsonCallTools } from './kinds/json-calls.js';
import type { ModelFamily } from './format/model-family.js';

export const gigaChat31 = {
  name: 'gigachat3.1',
  tools: jsonCallTools({
    opens: [FUNCTION_CALL],
    closes: [],
    list: false,
    layout: '',
    parsing: GIGACHAT_PARSING,
  }),
} as const satisfies ModelFamily;
