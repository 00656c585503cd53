/** Python in a fence between `<|tool_call_start|>` and `<|tool_call_end|>`, `<|thought_start|>`: MiniCPM 3 and 4. @module */
import { pythonCallTools } from './kinds/python-calls.js';
import type { ModelFamily } from './format/model-family.js';
import { thoughtBlock } from './kinds/thought-block.js';

export const miniCpm = {
  name: 'minicpm',
  tools: pythonCallTools({
    frames: [['<|tool_call_start|>', '<|tool_call_end|>']],
    bare: false,
    list: { open: '\n```python\n', separator: '\n', close: '\n```\n' },
    literals: 'python',
    signs: [/<\|tool_call_start\|>\s*```python/],
  }),
  reasoning: thoughtBlock({
    opens: ['<|thought_start|>'],
    closes: ['<|thought_end|>'],
  }),
} as const satisfies ModelFamily;
