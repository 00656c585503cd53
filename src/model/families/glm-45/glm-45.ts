/** `<tool_call>f <arg_key>a</arg_key><arg_value>1</arg_value></tool_call>`: GLM 4.5 and later. @module */
import { elementCallTools } from '../kinds/element-calls.js';
import type { ModelFamily } from '../model-family.js';
import { TOOL_CALL_TAGS } from '../parsing/shapes/tool-call-tags.js';

export const glm45 = {
  name: 'glm-4.5',
  tools: elementCallTools({
    open: '<tool_call>',
    close: '</tool_call>',
    section: false,
    joined: true,
    name: ['', '\n'],
    end: '',
    key: ['<arg_key>', '</arg_key>\n<arg_value>'],
    valueClose: '</arg_value>\n',
    stop: '</arg_value>',
    parsing: TOOL_CALL_TAGS,
    pattern: /<arg_key>/,
  }),
} as const satisfies ModelFamily;
