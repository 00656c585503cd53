/** Neither calls nor thoughts, only text: models without a chat template. @module */
import { NEVER } from '../grammar/expression.js';
import { JSON_VALUES, freeText } from './format/call-grammar.js';
import type { ModelFamily } from './format/model-family.js';
import { createPlainTextParser } from './parsing/channel-parser.js';
import { writeParagraphs } from './kinds/thought-block.js';

/** Everything is text. */
export const none = {
  name: 'none',
  tools: {
    recognise: () => false,
    openingTokens: [],
    createParser: createPlainTextParser,
    grammar: {
      tags: [],
      values: JSON_VALUES,
      arguments: () => NEVER,
      calls: () => ({ required: NEVER, free: freeText() }),
    },
    write: () => '',
    instruction: '',
  },
  reasoning: {
    recognise: () => false,
    open: '',
    close: '',
    forcedClose: '',
    endsInside: () => false,
    createParser: ({ createToolParser = createPlainTextParser }) => createToolParser(),
    grammar: { tags: [], frame: (content) => content, think: (answer) => answer },
    write: (_thought, text, calls) => writeParagraphs(text, calls),
  },
} as const satisfies ModelFamily;
