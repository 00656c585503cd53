/** `<think>…</think><response>…</response>`: Granite 3.3, ERNIE 4.5. @module */
import type { ModelFamily } from '../model-family.js';
import { thoughtBlock } from '../parsing/thought-block.js';

export const granite33 = {
  name: 'granite-3.3',
  reasoning: thoughtBlock({
    opens: ['<think>'],
    closes: ['</think>'],
    answer: { open: '<response>', close: '</response>' },
    layout: '',
    pattern: /<\/?response>/,
  }),
} as const satisfies ModelFamily;
