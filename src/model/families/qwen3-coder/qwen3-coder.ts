/** `<tool_call><function=f><parameter=a>…`: Qwen 3 Coder, Qwen 3.5, Nemotron 3. @module */
import { elementCallTools } from '../kinds/element-calls.js';
import type { ModelFamily } from '../model-family.js';
import { TOOL_CALL_TAGS } from '../parsing/shapes/tool-call-tags.js';

export const qwen3Coder = {
  name: 'qwen3-coder',
  tools: elementCallTools({
    open: '<tool_call>',
    close: '</tool_call>',
    section: false,
    name: ['<function=', '>\n'],
    end: '</function>\n',
    key: ['<parameter=', '>\n'],
    valueClose: '\n</parameter>\n',
    stop: '</parameter>',
    parsing: TOOL_CALL_TAGS,
    pattern: /<function=/,
    endsThought: ['<tool_call>\n<function=', '<tool_call><function='],
  }),
} as const satisfies ModelFamily;
