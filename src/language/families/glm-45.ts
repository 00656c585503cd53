/** `<tool_call>f <arg_key>a</arg_key><arg_value>1</arg_value></tool_call>`: GLM 4.5 and later. @module */
import { elementCallTools } from './kinds/element-calls.js';
import { ARGUMENT_KEY, argumentPairs, TOOL_CALL, TOOL_CALL_TAGS } from './kinds/tool-call-tags.js';
import type { ModelFamily } from './format/model-family.js';

export const glm45 = {
  name: 'glm-4.5',
  tools: elementCallTools({
    ...TOOL_CALL,
    joined: true,
    elements: argumentPairs(TOOL_CALL),
    parsing: TOOL_CALL_TAGS,
    signs: [ARGUMENT_KEY],
  }),
} as const satisfies ModelFamily;
