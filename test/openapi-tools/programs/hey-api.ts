import { BASE, CHAT, check, EMBEDDER } from './expected';
import { getModels, postChatCompletions, postEmbeddings } from './hey-api-client';
import { client } from './hey-api-client/client.gen';

client.setConfig({ baseUrl: BASE });

const models = await getModels();
const chat = await postChatCompletions({ body: { model: CHAT, messages: [{ role: 'user', content: 'Hi' }] } });
const embeddings = await postEmbeddings({ body: { model: EMBEDDER, input: ['A dog.', 'A cat.'] } });
const refused = await postChatCompletions({ body: { model: CHAT, messages: [] } });

if (models.data === undefined || !('object' in models.data)) throw new Error('No list.');
if (typeof chat.data !== 'object' || !('choices' in chat.data)) throw new Error('No answer.');
if (embeddings.data === undefined) throw new Error('No embeddings.');
check({
  models: models.data.data.map(({ id }) => id),
  said: chat.data.choices[0]!.message.content,
  tokens: chat.data.usage.completion_tokens,
  dimensions: embeddings.data.data.map(({ embedding }) => embedding.length),
  refused: refused.response!.status,
});
