import { type Dialect, toMessages } from './dialect.js';

interface MessageEvent {
  type: string;
  delta?: { text?: string; thinking?: string };
  usage?: { output_tokens: number };
  error?: { message: string };
}

/** Room for an answer; this dialect wants a number. */
const MAX_TOKENS = 512;

/** Its images are base64 without the head of a data URL. */
function imagePart(dataURL: string): object {
  const [head = '', data = ''] = dataURL.split(',');
  const mediaType = /^data:([\w/]+)/.exec(head)?.[1];
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}

/** Anthropic's Messages. */
export const messages: Dialect = {
  title: 'Messages',
  path: '/messages',
  toBody: (turns, { model, think, system, temperature, topP, topK, maxTokens }) => ({
    model,
    max_tokens: maxTokens ?? (think ? 3 * MAX_TOKENS : MAX_TOKENS),
    ...(system && { system }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
    messages: toMessages(turns, imagePart),
    stream: true,
    ...(think && { thinking: { type: 'enabled', budget_tokens: 2 * MAX_TOKENS } }),
  }),
  readEvent(event) {
    const { delta, usage, error } = event as MessageEvent;
    return { text: delta?.text, reasoning: delta?.thinking, tokens: usage?.output_tokens, error: error?.message };
  },
};
