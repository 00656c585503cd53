/** `[f(a=1, b="x"), g()]` as the whole answer: Llama 3.2 and 4, ToolACE. @module */
import { pythonCallTools } from '../kinds/python-lists.js';
import type { ModelFamily } from '../model-family.js';

export const pythonic = {
  name: 'pythonic',
  tools: pythonCallTools({
    frames: [
      ['<|python_start|>', '<|python_end|>'],
      ['<|tool_call_start|>', '<|tool_call_end|>'],
    ],
    bare: true,
    list: { open: '[', separator: ',', close: ']' },
    literals: 'python',
    pattern: /<\|python_start\|>|pythonic|\[func_name1\(/,
  }),
} as const satisfies ModelFamily;
