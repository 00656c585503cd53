/** `<TOOLCALL>[{"name": …, "arguments": {…}}]</TOOLCALL>`: Nemotron Nano 2, Llama Nemotron. @module */
import { jsonCallTools } from './kinds/json-calls.js';
import type { ModelFamily } from './format/model-family.js';

const OPEN = '<TOOLCALL>';

export const nemotron = {
  name: 'nemotron',
  tools: jsonCallTools({
    opens: [OPEN],
    closes: ['</TOOLCALL>'],
    list: true,
    layout: '',
    signs: [OPEN, '<AVAILABLE_TOOLS>'],
  }),
} as const satisfies ModelFamily;
