/** `<think>…</think>`: DeepSeek R1, Qwen 3, tiny-chat. @module */
import type { ModelFamily } from '../model-family.js';
import { thoughtBlock } from '../parsing/thought-block.js';

export const thinkTags = {
  name: 'think-tags',
  reasoning: thoughtBlock({
    open: '<think>',
    close: '</think>',
    // The first template of DeepSeek R1 only cuts the thinking off older answers, so it holds just the closing tag.
    recognise: ({ source }) => /<\/?think>/.test(source),
  }),
} as const satisfies ModelFamily;
