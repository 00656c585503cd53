import type { Connection } from './scenario.js';

/** One question to a chat model, asked through every dialect. */
export interface Question {
  model: string;
  system: string;
  user: string;
  /** The conversation as the model's template writes it, for text completions. */
  rawPrompt: string;
  maxTokens: number;
}

/** The question in ChatML, which tiny-chat was trained on. */
export function chatMl(system: string, user: string): string {
  return `<|im_start|>system\n${system}<|im_end|>\n<|im_start|>user\n${user}<|im_end|>\n<|im_start|>assistant\n`;
}

/** The generated text by dialect, and the tokens that prompt and answer had. All decode greedily. */
export async function answersOfAllDialects(
  { fetch, baseURL }: Connection,
  { model, system, user, rawPrompt, maxTokens }: Question,
): Promise<Record<string, { text: string; tokens: [number, number] }>> {
  const post = async (path: string, body: object): Promise<any> => {
    const response = await fetch(`${baseURL}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, temperature: 0, ...body }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const conversation = [{ role: 'user', content: user }];
  const chat = await post('/chat/completions', {
    messages: [{ role: 'system', content: system }, ...conversation],
    max_tokens: maxTokens,
  });
  const completion = await post('/completions', { prompt: rawPrompt, max_tokens: maxTokens });
  const message = await post('/messages', { system, messages: conversation, max_tokens: maxTokens });
  const response = await post('/responses', { instructions: system, input: user, max_output_tokens: maxTokens });
  const { input_tokens: read, cache_read_input_tokens: cached, output_tokens: written } = message.usage;
  return {
    chat: { text: chat.choices[0].message.content, tokens: [chat.usage.prompt_tokens, chat.usage.completion_tokens] },
    completion: {
      text: completion.choices[0].text,
      tokens: [completion.usage.prompt_tokens, completion.usage.completion_tokens],
    },
    message: { text: message.content[0].text, tokens: [read + cached, written] },
    response: {
      text: response.output.at(-1).content[0].text,
      tokens: [response.usage.input_tokens, response.usage.output_tokens],
    },
  };
}
