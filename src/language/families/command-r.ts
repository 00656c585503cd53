/** `Action:` and a list of `{"tool_name": …, "parameters": {…}}` in a fence: Command R, R+ and their successors of 2024. @module */
import { bareJsonCalls, jsonCall, jsonCallTools } from './kinds/json-calls.js';
import type { ModelFamily } from './format/model-family.js';

const OPEN = 'Action: ```json';

export const commandR = {
  name: 'command-r',
  tools: jsonCallTools({
    opens: [OPEN],
    closes: ['```'],
    list: true,
    layout: '\n',
    parsing: { opens: ['Action:'], closes: ['```'], shapes: [bareJsonCalls, jsonCall] },
    keys: { name: 'tool_name', arguments: 'parameters' },
    signs: [OPEN, "Write 'Action:' followed by"],
  }),
} as const satisfies ModelFamily;
