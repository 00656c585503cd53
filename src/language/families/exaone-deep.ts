/** `<thought>…</thought>`: EXAONE Deep. @module */
import type { ModelFamily } from './format/model-family.js';
import { thoughtBlock } from './kinds/thought-block.js';

export const exaoneDeep = {
  name: 'exaone-deep',
  reasoning: thoughtBlock({ opens: ['<thought>'], closes: ['</thought>'] }),
} as const satisfies ModelFamily;
