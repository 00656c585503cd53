/** `<seed:tool_call><function=f><parameter=a>…` and `<seed:think>`: ByteDance Seed OSS. @module */
import { elementCallTools } from './kinds/element-calls.js';
import { thoughtBlock } from './kinds/thought-block.js';
import { functionElements } from './kinds/tool-call-tags.js';
import type { ModelFamily } from './format/model-family.js';

const CLOSE = '</seed:tool_call>';

export const seedOss = {
  name: 'seed-oss',
  tools: elementCallTools({ open: '<seed:tool_call>', close: CLOSE, elements: functionElements(CLOSE, '') }),
  reasoning: thoughtBlock({ opens: ['<seed:think>'], closes: ['</seed:think>'], layout: '' }),
} as const satisfies ModelFamily;
