/** `<tool_call>{"name": …, "arguments": {…}}</tool_call>`: Hermes 2 and 3, Qwen 2.5 and 3, SmolLM 3, Granite 4, Falcon 3, tiny-chat. @module */
import { jsonCallTools } from './kinds/json-calls.js';
import type { ModelFamily } from './format/model-family.js';
import { TOOL_CALL, TOOL_CALL_TAGS } from './kinds/tool-call-tags.js';

/** Also what models are taught in the prompt whose template does not know tools. */
export const hermes = {
  name: 'hermes',
  tools: jsonCallTools({
    opens: [TOOL_CALL.open],
    closes: [TOOL_CALL.close],
    list: false,
    layout: '\n',
    parsing: TOOL_CALL_TAGS,
  }),
} as const satisfies ModelFamily;
