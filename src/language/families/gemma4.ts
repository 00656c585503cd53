/** `<|tool_call>call:f{a:<|"|>text<|"|>}<tool_call|>` and `<|channel>thought … <channel|>`: Gemma 4. @module */
import { looseObjectTools } from './kinds/loose-object-calls.js';
import type { ModelFamily } from './format/model-family.js';
import { thoughtBlock } from './kinds/thought-block.js';

const OPEN = '<|tool_call>';

export const gemma4 = {
  name: 'gemma4',
  tools: looseObjectTools({
    open: OPEN,
    close: '<tool_call|>',
    quote: '<|"|>',
    // The model goes on to write what the tool will answer, unless the tag ends its turn.
    closes: ['<|tool_response>'],
    endsThought: [`${OPEN}call:`],
  }),
  reasoning: thoughtBlock({
    opens: ['<|channel>thought\n', '<|channel>thought', '<|channel>'],
    closes: ['<channel|>'],
    anywhere: true,
    layout: '',
  }),
} as const satisfies ModelFamily;
