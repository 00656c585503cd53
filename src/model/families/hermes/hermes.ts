/** `<tool_call>{"name": …, "arguments": {…}}</tool_call>`: Hermes, Qwen 2.5 and 3, tiny-chat, Granite 4. @module */
import { jsonCallTools } from '../kinds/json-calls.js';
import type { ModelFamily } from '../model-family.js';
import { TOOL_CALL_TAGS } from '../parsing/shapes/tool-call-tags.js';

/** Also what models are taught in the prompt whose template knows no tools. */
export const hermes = {
  name: 'hermes',
  tools: jsonCallTools({
    opens: ['<tool_call>'],
    closes: ['</tool_call>'],
    list: false,
    layout: '\n',
    keys: { name: 'name', arguments: 'arguments' },
    parsing: TOOL_CALL_TAGS,
    pattern: /<tool_call>/,
  }),
} as const satisfies ModelFamily;
