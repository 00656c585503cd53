/** `<think>…</think><response>…</response>`: Granite 3.3, ERNIE 4.5. @module */
import type { ModelFamily } from './format/model-family.js';
import { thoughtBlock } from './kinds/thought-block.js';

const ANSWER = { open: '<response>', close: '</response>' };

export const granite33 = {
  name: 'granite-3.3',
  reasoning: thoughtBlock({
    opens: ['<think>'],
    closes: ['</think>'],
    answer: ANSWER,
    layout: '',
    signs: Object.values(ANSWER),
  }),
} as const satisfies ModelFamily;
