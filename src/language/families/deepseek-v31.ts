/** `<｜tool▁call▁begin｜>name<｜tool▁sep｜>{…}<｜tool▁call▁end｜>`: DeepSeek V3.1. @module */
import { DEEPSEEK_ECHOES, DEEPSEEK_TAGS } from './deepseek.js';
import { namedCallTools } from './kinds/named-calls.js';
import type { ModelFamily } from './format/model-family.js';
import { BLANKS, lenient, maybe, NAME } from './parsing/text-matching.js';

const [SECTION, BEGIN, SEPARATOR, END, SECTION_END] = DEEPSEEK_TAGS;

export const deepseekV31 = {
  name: 'deepseek-v3.1',
  tools: namedCallTools({
    section: { open: SECTION, close: SECTION_END },
    head: [
      maybe(BEGIN),
      BLANKS,
      lenient(`function${SEPARATOR}`),
      NAME,
      BLANKS,
      maybe(SEPARATOR),
      BLANKS,
      lenient('```json'),
    ],
    after: END,
    tags: DEEPSEEK_TAGS,
    echoes: DEEPSEEK_ECHOES,
    signs: [BEGIN],
  }),
} as const satisfies ModelFamily;
