/** `<longcat_tool_call>{"name": …, "arguments": {…}}</longcat_tool_call>` and `<longcat_think>`: LongCat Flash. @module */
import { elementCall } from './kinds/element-reader.js';
import { jsonCallTools } from './kinds/json-calls.js';
import { thoughtBlock } from './kinds/thought-block.js';
import { argumentPairs, nameAlone } from './kinds/tool-call-tags.js';
import type { ModelFamily } from './format/model-family.js';

const CALL = { open: '<longcat_tool_call>', close: '</longcat_tool_call>' };

/** Later models write an element for each key and each value. */
export const longcat = {
  name: 'longcat',
  tools: jsonCallTools({
    opens: [CALL.open],
    closes: [CALL.close],
    list: false,
    layout: '\n',
    moreShapes: [elementCall(argumentPairs(CALL, 'longcat_')), nameAlone(CALL.close)],
  }),
  reasoning: thoughtBlock({ opens: ['<longcat_think>'], closes: ['</longcat_think>'] }),
} as const satisfies ModelFamily;
