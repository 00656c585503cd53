/** `<｜tool▁call▁begin｜>function<｜tool▁sep｜>name` and fenced JSON: DeepSeek R1 and V3, its distillates, Cogito. @module */
import { namedCallTools } from './kinds/named-calls.js';
import type { ModelFamily } from './format/model-family.js';
import { BLANKS, blanks, lenient, maybe, NAME } from './parsing/text-matching.js';

/** Version 3.1 has the same tags. */
export const DEEPSEEK_TAGS = [
  '<｜tool▁calls▁begin｜>',
  '<｜tool▁call▁begin｜>',
  '<｜tool▁sep｜>',
  '<｜tool▁call▁end｜>',
  '<｜tool▁calls▁end｜>',
] as const;
/** Around all results, and around one. */
export const DEEPSEEK_ECHOES = [
  ['<｜tool▁outputs▁begin｜>', '<｜tool▁outputs▁end｜>'],
  ['<｜tool▁output▁begin｜>', '<｜tool▁output▁end｜>'],
] as const;
const [SECTION, BEGIN, SEPARATOR, END, SECTION_END] = DEEPSEEK_TAGS;
const FENCE = '```';

export const deepseek = {
  name: 'deepseek',
  tools: namedCallTools({
    section: { open: SECTION, close: SECTION_END },
    head: [
      maybe(BEGIN),
      BLANKS,
      maybe(`function${SEPARATOR}`),
      NAME,
      blanks('\n'),
      lenient(SEPARATOR),
      BLANKS,
      maybe(`${FENCE}json`, FENCE),
      blanks('\n'),
    ],
    after: `\n${FENCE}${END}`,
    tags: DEEPSEEK_TAGS,
    echoes: DEEPSEEK_ECHOES,
    // In the source of a template the parts may be joined by a plus.
    signs: [`function${SEPARATOR}`, /'function' ?\+ ?'<｜tool▁sep｜>'|tool\['type'\] \+ '<｜tool▁sep｜>'/],
  }),
} as const satisfies ModelFamily;
