/** `<|tools_prefix|>[{"f": {…}}]<|tools_suffix|>` and `<|inner_prefix|>…<|inner_suffix|>`: Apertus. @module */
import { namedCallTools } from '../kinds/named-calls.js';
import type { ModelFamily } from '../model-family.js';
import { anyOf, BLANKS, NAME } from '../parsing/match-head.js';
import { thoughtBlock } from '../parsing/thought-block.js';

const OPEN = '<|tools_prefix|>';
const CLOSE = '<|tools_suffix|>';

export const apertus = {
  name: 'apertus',
  tools: namedCallTools({
    section: { open: `${OPEN}[`, close: `]${CLOSE}` },
    separator: ', ',
    before: '{"',
    between: () => '": ',
    after: '}',
    opens: [OPEN],
    closes: [CLOSE],
    head: [anyOf('{'), BLANKS, anyOf('"'), NAME, anyOf('"'), BLANKS, anyOf(':')],
    tags: [OPEN, CLOSE],
    pattern: /<\|tools_prefix\|>/,
  }),
  reasoning: thoughtBlock({
    opens: ['<|inner_prefix|>'],
    closes: ['<|inner_suffix|>'],
    layout: '',
    pattern: /<\|inner_prefix\|>/,
  }),
} as const satisfies ModelFamily;
