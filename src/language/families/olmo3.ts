/** `<function_calls>f(a="x")</function_calls>`, one call in each line: Olmo 3. @module */
import { pythonCallTools } from './kinds/python-calls.js';
import type { ModelFamily } from './format/model-family.js';

export const olmo3 = {
  name: 'olmo3',
  tools: pythonCallTools({
    frames: [['<function_calls>', '</function_calls>']],
    bare: false,
    list: { open: '', separator: '\n', close: '' },
    literals: 'json',
  }),
} as const satisfies ModelFamily;
