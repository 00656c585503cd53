/** `<start_function_call>call:f{a:<escape>text<escape>}<end_function_call>`: FunctionGemma. @module */
import { looseObjectTools } from './kinds/loose-object-calls.js';
import type { ModelFamily } from './format/model-family.js';

const OPEN = '<start_function_call>';

export const functionGemma = {
  name: 'functiongemma',
  tools: looseObjectTools({
    open: OPEN,
    close: '<end_function_call>',
    quote: '<escape>',
    closes: ['<start_function_response>'],
    signs: [OPEN, '<start_function_declaration>'],
  }),
} as const satisfies ModelFamily;
