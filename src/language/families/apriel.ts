/** Thoughts behind `Here are my reasoning steps:`, the answer behind `[BEGIN FINAL RESPONSE]`: Apriel 1.5 and 1.6. @module */
import { thoughtBlock } from './kinds/thought-block.js';
import type { ModelFamily } from './format/model-family.js';

export const apriel = {
  name: 'apriel',
  reasoning: thoughtBlock({
    opens: ['Here are my reasoning steps:'],
    closes: ['[BEGIN FINAL RESPONSE]'],
    answer: { close: '[END FINAL RESPONSE]' },
  }),
} as const satisfies ModelFamily;
