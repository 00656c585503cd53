/** `<|tools_prefix|>[{"f": {…}}]<|tools_suffix|>` and `<|inner_prefix|>…<|inner_suffix|>`: Apertus. @module */
import { namedCallTools } from './kinds/named-calls.js';
import { thoughtBlock } from './kinds/thought-block.js';
import type { ModelFamily } from './format/model-family.js';
import { anyOf, BLANKS, blanks, NAME } from './parsing/text-matching.js';

const OPEN = '<|tools_prefix|>';
const CLOSE = '<|tools_suffix|>';

export const apertus = {
  name: 'apertus',
  tools: namedCallTools({
    section: { open: `${OPEN}[`, close: `]${CLOSE}` },
    separator: ', ',
    head: [anyOf('{'), BLANKS, anyOf('"'), NAME, anyOf('"'), BLANKS, anyOf(':'), blanks(' ')],
    after: '}',
    tags: [OPEN, CLOSE],
  }),
  reasoning: thoughtBlock({ opens: ['<|inner_prefix|>'], closes: ['<|inner_suffix|>'], layout: '' }),
} as const satisfies ModelFamily;
