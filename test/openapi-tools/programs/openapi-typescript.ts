import createClient from 'openapi-fetch';
import { BASE, CHAT, check, EMBEDDER } from './expected';
import type { paths } from './openapi-typescript/schema';

const client = createClient<paths>({ baseUrl: BASE });

const models = await client.GET('/models');
const chat = await client.POST('/chat/completions', {
  body: { model: CHAT, messages: [{ role: 'user', content: 'Hi' }] },
});
const embeddings = await client.POST('/embeddings', { body: { model: EMBEDDER, input: ['A dog.', 'A cat.'] } });
const refused = await client.POST('/chat/completions', { body: { model: CHAT, messages: [] } });

if (models.data === undefined || !('object' in models.data)) throw new Error('No list.');
if (typeof chat.data !== 'object' || !('choices' in chat.data)) throw new Error('No answer.');
if (embeddings.data === undefined) throw new Error('No embeddings.');
check({
  models: models.data.data.map(({ id }) => id),
  said: chat.data.choices[0]!.message.content,
  tokens: chat.data.usage.completion_tokens,
  dimensions: embeddings.data.data.map(({ embedding }) => embedding.length),
  refused: refused.response.status,
});
