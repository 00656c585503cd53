import { type Dialect, toMessages } from './dialect.js';

interface Chunk {
  choices?: { delta: { content?: string | null; reasoning?: string | null } }[];
  usage?: { completion_tokens: number } | null;
  error?: { message: string };
}

const imagePart = (url: string): object => ({ type: 'image_url', image_url: { url } });

/** OpenAI's chat completions. */
export const chatCompletions: Dialect = {
  title: 'Chat Completions',
  path: '/chat/completions',
  toBody: (turns, { model, think, system, temperature, topP, topK, maxTokens }) => ({
    model,
    messages: [...(system ? [{ role: 'system', content: system }] : []), ...toMessages(turns, imagePart)],
    stream: true,
    stream_options: { include_usage: true },
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(think && { chat_template_kwargs: { enable_thinking: true } }),
  }),
  readEvent(event) {
    const { choices, usage, error } = event as Chunk;
    const delta = choices?.[0]?.delta;
    return {
      text: delta?.content,
      reasoning: delta?.reasoning,
      tokens: usage?.completion_tokens,
      error: error?.message,
    };
  },
};
