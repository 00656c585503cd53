/** How models that think in a block mark it. @module */
import type { ReasoningFormat } from './token-event.js';

/** Begin and end of the block. */
export interface ThinkTags {
  open: string;
  close: string;
}

/** `<think>`: DeepSeek R1, Qwen 3, tiny-chat; `[THINK]`: Ministral 3 Reasoning, Magistral. */
export const THINK_TAGS: Readonly<Record<Exclude<ReasoningFormat, 'harmony' | 'none'>, ThinkTags>> = {
  'think-tags': { open: '<think>', close: '</think>' },
  'think-brackets': { open: '[THINK]', close: '[/THINK]' },
};
