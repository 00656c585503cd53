import { type Dialect, toMessages } from './dialect.js';

interface MessageEvent {
  type: string;
  delta?: { text?: string; thinking?: string };
  usage?: { output_tokens: number };
  error?: { message: string };
}

/** Room for an answer; this dialect wants a number. */
const MOST_TOKENS = 512;

/** Anthropic's Messages. */
export const messages: Dialect = {
  title: 'Messages',
  path: '/messages',
  toBody: (turns, { model, think, system, temperature, topP, maxTokens }) => ({
    model,
    max_tokens: maxTokens ?? (think ? 3 * MOST_TOKENS : MOST_TOKENS),
    ...(system && { system }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    messages: toMessages(turns),
    stream: true,
    ...(think && { thinking: { type: 'enabled', budget_tokens: 2 * MOST_TOKENS } }),
  }),
  readEvent(event) {
    const { delta, usage, error } = event as MessageEvent;
    return { text: delta?.text, reasoning: delta?.thinking, tokens: usage?.output_tokens, error: error?.message };
  },
};
