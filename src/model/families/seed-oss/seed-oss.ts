/** `<seed:tool_call><function=f><parameter=a>…` and `<seed:think>`: ByteDance Seed OSS. @module */
import { elementCallTools } from '../kinds/element-calls.js';
import type { ModelFamily } from '../model-family.js';
import { functionElements } from '../parsing/shapes/tool-call-tags.js';
import { thoughtBlock } from '../parsing/thought-block.js';

export const seedOss = {
  name: 'seed-oss',
  tools: elementCallTools({
    open: '<seed:tool_call>',
    close: '</seed:tool_call>',
    section: false,
    name: ['<function=', '>\n'],
    end: '</function>\n',
    key: ['<parameter=', '>'],
    valueClose: '</parameter>\n',
    stop: '</parameter>',
    parsing: {
      opens: ['<seed:tool_call>'],
      headOpens: ['<function='],
      closes: ['</seed:tool_call>', '</function>'],
      shapes: [functionElements],
    },
    pattern: /<seed:tool_call>/,
  }),
  reasoning: thoughtBlock({
    opens: ['<seed:think>'],
    closes: ['</seed:think>'],
    layout: '',
    pattern: /<seed:think>/,
  }),
} as const satisfies ModelFamily;
