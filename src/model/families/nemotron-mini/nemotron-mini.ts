/** `<toolcall> {"name": …, "arguments": {…}} </toolcall>`: Nemotron-mini 4B. @module */
import { jsonCallTools } from '../kinds/json-calls.js';
import type { ModelFamily } from '../model-family.js';

export const nemotronMini = {
  name: 'nemotron-mini',
  tools: jsonCallTools({
    opens: ['<toolcall>'],
    closes: ['</toolcall>'],
    list: false,
    layout: ' ',
    keys: { name: 'name', arguments: 'arguments' },
    pattern: /<toolcall>|<tool> /,
  }),
} as const satisfies ModelFamily;
