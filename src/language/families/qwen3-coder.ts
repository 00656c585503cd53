/** `<tool_call><function=f><parameter=a>…`: Qwen 3 Coder, Qwen 3.5, Nemotron 3. @module */
import { elementCallTools } from './kinds/element-calls.js';
import { FUNCTION, functionElements, TOOL_CALL, TOOL_CALL_TAGS } from './kinds/tool-call-tags.js';
import type { ModelFamily } from './format/model-family.js';

export const qwen3Coder = {
  name: 'qwen3-coder',
  tools: elementCallTools({
    ...TOOL_CALL,
    elements: functionElements(TOOL_CALL.close, '\n'),
    parsing: TOOL_CALL_TAGS,
    signs: [FUNCTION],
    endsThought: [`${TOOL_CALL.open}\n${FUNCTION}`, TOOL_CALL.open + FUNCTION],
  }),
} as const satisfies ModelFamily;
