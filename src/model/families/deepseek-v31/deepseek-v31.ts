/** `<｜tool▁call▁begin｜>name<｜tool▁sep｜>{…}<｜tool▁call▁end｜>`: DeepSeek V3.1. @module */
import { deepseek } from '../deepseek/deepseek.js';
import { namedCallTools } from '../kinds/named-calls.js';
import type { ModelFamily } from '../model-family.js';
import { BLANKS, maybe, NAME } from '../parsing/match-head.js';

const TAGS = deepseek.tools.grammar.tags;
const [SECTION = '', BEGIN = '', SEPARATOR = '', END = '', SECTION_END = ''] = TAGS;

export const deepseekV31 = {
  name: 'deepseek-v3.1',
  tools: namedCallTools({
    section: { open: SECTION, close: SECTION_END },
    before: BEGIN,
    between: () => SEPARATOR,
    after: END,
    opens: [SECTION, BEGIN],
    closes: [END, SECTION_END],
    head: [
      maybe(BEGIN),
      BLANKS,
      maybe(`function${SEPARATOR}`),
      NAME,
      BLANKS,
      maybe(SEPARATOR),
      BLANKS,
      maybe('```json'),
    ],
    tags: TAGS,
    pattern: /<｜tool▁call▁begin｜>/,
  }),
} as const satisfies ModelFamily;
