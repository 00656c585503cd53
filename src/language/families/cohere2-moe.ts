/** Answers between `<|START_TEXT|>` and `<|END_TEXT|>`: Command A Vision and Reasoning, Cohere 2 MoE. Calls are those of Command R7B. @module */
import { thoughtBlock } from './kinds/thought-block.js';
import type { ModelFamily } from './format/model-family.js';

const ANSWER = { open: '<|START_TEXT|>', close: '<|END_TEXT|>' };

export const cohere2Moe = {
  name: 'cohere2-moe',
  reasoning: thoughtBlock({
    opens: ['<|START_THINKING|>'],
    closes: ['<|END_THINKING|>'],
    answer: ANSWER,
    layout: '',
    signs: Object.values(ANSWER),
  }),
} as const satisfies ModelFamily;
