import { CHAT, check, EMBEDDER } from './expected';
import { getModels, postChatCompletions, postEmbeddings } from './orval/client';

const models = await getModels();
const chat = await postChatCompletions({ model: CHAT, messages: [{ role: 'user', content: 'Hi' }] });
const embeddings = await postEmbeddings({ model: EMBEDDER, input: ['A dog.', 'A cat.'] });
const refused = await postChatCompletions({ model: CHAT, messages: [] });

if (models.status !== 200 || !('object' in models.data)) throw new Error('No list.');
if (chat.status !== 200 || typeof chat.data !== 'object' || !('choices' in chat.data)) throw new Error('No answer.');
if (embeddings.status !== 200) throw new Error('No embeddings.');
check({
  models: models.data.data.map(({ id }) => id),
  said: chat.data.choices[0]!.message.content,
  tokens: chat.data.usage.completion_tokens,
  dimensions: embeddings.data.data.map(({ embedding }) => embedding.length),
  refused: refused.status,
});
