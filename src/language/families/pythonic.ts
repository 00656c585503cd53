/** `[f(a=1, b="x"), g()]` as the whole answer: Llama 3.2 and 4, ToolACE. @module */
import { pythonCallTools } from './kinds/python-calls.js';
import type { ModelFamily } from './format/model-family.js';

const START = '<|python_start|>';

export const pythonic = {
  name: 'pythonic',
  tools: pythonCallTools({
    frames: [
      [START, '<|python_end|>'],
      ['<|tool_call_start|>', '<|tool_call_end|>'],
    ],
    bare: true,
    list: { open: '[', separator: ',', close: ']' },
    literals: 'python',
    signs: [START, 'pythonic', '[func_name1('],
  }),
} as const satisfies ModelFamily;
