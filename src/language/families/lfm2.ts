/** `<|tool_call_start|>[f(a="x")]<|tool_call_end|>` anywhere in an answer: LFM 2 and 2.5. @module */
import { pythonCallTools } from './kinds/python-calls.js';
import type { ModelFamily } from './format/model-family.js';

const OPEN = '<|tool_call_start|>';

export const lfm2 = {
  name: 'lfm2',
  tools: pythonCallTools({
    frames: [[OPEN, '<|tool_call_end|>']],
    bare: false,
    readsBare: true,
    list: { open: '[', separator: ',', close: ']' },
    literals: 'python',
    // Templates of 2.5 name their tokens nowhere until a call is in the history.
    signs: [OPEN, '<|tool_list_start|>', 'List of tools: ['],
    callEndsThought: true,
  }),
} as const satisfies ModelFamily;
