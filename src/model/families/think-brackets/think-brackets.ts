/** `[THINK]…[/THINK]`: Ministral 3 Reasoning, Magistral. @module */
import type { ModelFamily } from '../model-family.js';
import { thoughtBlock } from '../parsing/thought-block.js';

export const thinkBrackets = {
  name: 'think-brackets',
  reasoning: thoughtBlock({
    opens: ['[THINK]'],
    closes: ['[/THINK]'],
    layout: '',
    pattern: /\[\/?THINK\]/,
  }),
} as const satisfies ModelFamily;
