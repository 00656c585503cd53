/** `<thought>…</thought>`: EXAONE Deep. @module */
import type { ModelFamily } from '../model-family.js';
import { thoughtBlock } from '../parsing/thought-block.js';

export const exaoneDeep = {
  name: 'exaone-deep',
  reasoning: thoughtBlock({ opens: ['<thought>'], closes: ['</thought>'], pattern: /<\/?thought>/ }),
} as const satisfies ModelFamily;
