/** `<start_function_call>call:f{a:<escape>text<escape>}<end_function_call>`: FunctionGemma. @module */
import { looseObjectTools } from '../kinds/loose-object-calls.js';
import type { ModelFamily } from '../model-family.js';

export const functionGemma = {
  name: 'functiongemma',
  tools: looseObjectTools({
    open: '<start_function_call>',
    close: '<end_function_call>',
    quote: '<escape>',
    closes: ['<start_function_response>'],
    pattern: /<start_function_call>|<start_function_declaration>/,
  }),
} as const satisfies ModelFamily;
