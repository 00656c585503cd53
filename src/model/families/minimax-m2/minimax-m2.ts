/** `<minimax:tool_call><invoke name="f"><parameter name="a">…`: MiniMax M2. @module */
import { elementCallTools } from '../kinds/element-calls.js';
import type { ModelFamily } from '../model-family.js';
import { anyOf, BLANKS, maybe, NAME } from '../parsing/match-head.js';
import { parameterCall } from '../parsing/shapes/parameter-call.js';

const invoke = parameterCall({
  head: [anyOf('<invoke'), BLANKS, anyOf('name='), maybe('"'), NAME, maybe('"'), BLANKS, anyOf('>')],
  key: [
    anyOf('<parameter'),
    BLANKS,
    anyOf('name='),
    maybe('"'),
    { type: 'word', character: /[^<>="\s]/ },
    maybe('"'),
    BLANKS,
    anyOf('>'),
  ],
  valueEnds: ['</parameter>', '<parameter name=', '</invoke>'],
  close: '</invoke>',
  outerCloses: ['</minimax:tool_call>', '<invoke'],
});

export const minimaxM2 = {
  name: 'minimax-m2',
  tools: elementCallTools({
    open: '<minimax:tool_call>',
    close: '</minimax:tool_call>',
    section: true,
    name: ['<invoke name="', '">\n'],
    end: '</invoke>',
    key: ['<parameter name="', '">'],
    valueClose: '</parameter>\n',
    stop: '</parameter>',
    parsing: {
      opens: ['<minimax:tool_call>'],
      headOpens: ['<invoke name='],
      closes: ['</minimax:tool_call>'],
      shapes: [invoke],
    },
    pattern: /<minimax:tool_call>/,
  }),
} as const satisfies ModelFamily;
