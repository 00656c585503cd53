/** `[THINK]…[/THINK]`: Ministral 3 Reasoning, Magistral. @module */
import type { ModelFamily } from './format/model-family.js';
import { thoughtBlock } from './kinds/thought-block.js';

export const thinkBrackets = {
  name: 'think-brackets',
  reasoning: thoughtBlock({
    opens: ['[THINK]'],
    closes: ['[/THINK]'],
    layout: '',
  }),
} as const satisfies ModelFamily;
