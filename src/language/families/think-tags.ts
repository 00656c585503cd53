/** `<think>…</think>`: DeepSeek R1, Qwen 3, LFM 2.5, Nemotron, tiny-chat, Phi-4-mini-reasoning, Cogito. @module */
import type { ModelFamily } from './format/model-family.js';
import { thoughtBlock } from './kinds/thought-block.js';

const OPEN = '<think>';
const CLOSE = '</think>';

export const thinkTags = {
  name: 'think-tags',
  reasoning: thoughtBlock({
    opens: [OPEN],
    closes: [CLOSE],
    // The first template of DeepSeek R1 only cuts the thinking off older answers, so it holds just the closing tag. The
    // templates of the last two do not speak of their models' thinking at all.
    signs: [OPEN, CLOSE, 'Phi, an AI math expert', 'Enable deep thinking subroutine', '<|tool_list_start|>'],
  }),
} as const satisfies ModelFamily;
