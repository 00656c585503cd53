/** `<｜tool▁call▁begin｜>function<｜tool▁sep｜>name` and fenced JSON: DeepSeek R1 and V3, its distillates, Cogito. @module */
import { namedCallTools } from '../kinds/named-calls.js';
import type { ModelFamily } from '../model-family.js';
import { BLANKS, maybe, NAME } from '../parsing/match-head.js';

const TAGS = [
  '<｜tool▁calls▁begin｜>',
  '<｜tool▁call▁begin｜>',
  '<｜tool▁sep｜>',
  '<｜tool▁call▁end｜>',
  '<｜tool▁calls▁end｜>',
] as const;
const [SECTION, BEGIN, SEPARATOR, END, SECTION_END] = TAGS;

export const deepseek = {
  name: 'deepseek',
  tools: namedCallTools({
    section: { open: SECTION, close: SECTION_END },
    before: `${BEGIN}function${SEPARATOR}`,
    between: () => '\n```json\n',
    after: `\n\`\`\`${END}`,
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
      maybe('```json', '```'),
    ],
    tags: TAGS,
    pattern: /function<｜tool▁sep｜>|'function' ?\+ ?'<｜tool▁sep｜>|tool\['type'\] \+ '<｜tool▁sep｜>'/,
  }),
} as const satisfies ModelFamily;
