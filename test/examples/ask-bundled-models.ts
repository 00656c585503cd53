/** What a page can do in which Inpage is installed as it should be. @module */
import type { Page } from 'playwright';

const PATTERN = '^[A-Z]{3}-[0-9]{2}$';

/**
 * Asks the bundled models by plain `fetch`, which needs the Service Worker, the workers and the files that each of them loads by
 * an address: the GGUF engine's kernels, the engine of grammars (for a pattern) and ONNX Runtime.
 * @param models those whose files the app serves
 */
export async function askBundledModels(page: Page, models: readonly ('tiny-chat' | 'tiny-embed')[]): Promise<void> {
  if (models.includes('tiny-chat')) {
    const schema = {
      type: 'object',
      properties: { code: { type: 'string', pattern: PATTERN } },
      required: ['code'],
      additionalProperties: false,
    };
    const { choices } = await post<{ choices: { message: { content: string } }[] }>(page, 'chat/completions', {
      model: 'tiny-chat',
      messages: [{ role: 'user', content: 'What is the code of the airport?' }],
      response_format: { type: 'json_schema', json_schema: { name: 'airport', strict: true, schema } },
    });
    const content = choices[0]?.message.content ?? '';
    if (!new RegExp(PATTERN).test((JSON.parse(content) as { code: string }).code))
      throw new Error(`Not so: ${content}`);
  }
  if (models.includes('tiny-embed')) {
    const { data } = await post<{ data: { embedding: number[] }[] }>(page, 'embeddings', {
      model: 'tiny-embed',
      input: 'A boat',
    });
    if (!data[0]?.embedding.some((value) => value !== 0)) throw new Error('An embedding of nothing.');
  }
}

async function post<T>(page: Page, path: string, body: object): Promise<T> {
  const text = await page.evaluate(
    async ({ url, json }) => {
      const response = await fetch(url, { method: 'POST', body: json });
      if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
      return response.text();
    },
    { url: `/v1/${path}`, json: JSON.stringify(body) },
  );
  return JSON.parse(text) as T;
}
