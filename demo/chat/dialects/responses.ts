import { type Dialect, toMessages } from './dialect.js';

interface ResponseEvent {
  type: string;
  delta?: string;
  response?: { usage?: { output_tokens: number } | null; error?: { message: string } | null };
  message?: string;
}

const imagePart = (url: string): object => ({ type: 'input_image', image_url: url, detail: 'auto' });

/** OpenAI's Responses. */
export const responses: Dialect = {
  title: 'Responses',
  path: '/responses',
  toBody: (turns, { model, think, system, temperature, topP, maxTokens }) => ({
    model,
    input: toMessages(turns, imagePart, 'input_text'),
    ...(system && { instructions: system }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    stream: true,
    ...(think && { reasoning: { effort: 'low' } }),
  }),
  readEvent(event) {
    const { type, delta, response, message } = event as ResponseEvent;
    return {
      text: type === 'response.output_text.delta' ? delta : undefined,
      reasoning: type === 'response.reasoning_text.delta' ? delta : undefined,
      tokens: response?.usage?.output_tokens,
      error: type === 'error' ? message : response?.error?.message,
    };
  },
};
