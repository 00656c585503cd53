/** `<toolcall> {"name": …, "arguments": {…}} </toolcall>`: Nemotron-mini 4B. @module */
import { jsonCallTools } from './kinds/json-calls.js';
import type { ModelFamily } from './format/model-family.js';

const OPEN = '<toolcall>';

export const nemotronMini = {
  name: 'nemotron-mini',
  tools: jsonCallTools({
    opens: [OPEN],
    closes: ['</toolcall>'],
    list: false,
    layout: ' ',
    signs: [OPEN, '<tool> '],
  }),
} as const satisfies ModelFamily;
