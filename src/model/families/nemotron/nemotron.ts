/** `<TOOLCALL>[{"name": …, "arguments": {…}}]</TOOLCALL>`: Nemotron Nano 2, Llama Nemotron. @module */
import { jsonCallTools } from '../kinds/json-calls.js';
import type { ModelFamily } from '../model-family.js';

export const nemotron = {
  name: 'nemotron',
  tools: jsonCallTools({
    opens: ['<TOOLCALL>'],
    closes: ['</TOOLCALL>'],
    list: true,
    layout: '',
    keys: { name: 'name', arguments: 'arguments' },
    pattern: /<TOOLCALL>|<AVAILABLE_TOOLS>/,
  }),
} as const satisfies ModelFamily;
