/** `<|tool_call_begin|>functions.name:0<|tool_call_argument_begin|>{…}<|tool_call_end|>`: Kimi K2. @module */
import { namedCallTools } from './kinds/named-calls.js';
import type { ModelFamily } from './format/model-family.js';
import { anyOf, BLANKS, maybe, NAME } from './parsing/text-matching.js';

const TAGS = [
  '<|tool_calls_section_begin|>',
  '<|tool_call_begin|>',
  '<|tool_call_argument_begin|>',
  '<|tool_call_end|>',
  '<|tool_calls_section_end|>',
] as const;
const [SECTION, BEGIN, ARGUMENTS, END, SECTION_END] = TAGS;
const INDEX = { type: 'word', character: /\d/, optional: true } as const;

export const kimiK2 = {
  name: 'kimi-k2',
  tools: namedCallTools({
    section: { open: SECTION, close: SECTION_END },
    head: [maybe(BEGIN), BLANKS, maybe('functions.'), NAME, maybe(':'), INDEX, BLANKS, anyOf(ARGUMENTS)],
    after: END,
    tags: TAGS,
    signs: [ARGUMENTS],
    endsThought: [SECTION, BEGIN],
  }),
} as const satisfies ModelFamily;
