/** `[THINK]…[/THINK]`: Ministral 3 Reasoning, Magistral. @module */
import type { ModelFamily } from '../model-family.js';
import { thoughtBlock } from '../parsing/thought-block.js';

export const thinkBrackets = {
  name: 'think-brackets',
  reasoning: thoughtBlock({
    open: '[THINK]',
    close: '[/THINK]',
    recognise: ({ source }) => /\[\/?THINK\]/.test(source),
  }),
} as const satisfies ModelFamily;
