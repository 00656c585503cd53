// LlamaIndex: models of its providers, and its agents.
import {
  CHAT,
  collect,
  createWeather,
  DOCUMENTS,
  EMBEDDER,
  HELLO,
  objectPrompt,
  QUERY,
  RANKER,
  WEATHER,
} from '../task.mjs';

const user = (content) => [{ role: 'user', content }];

/** @param modules `llamaindex`, zod, and `makeModel` with `makeEmbedding` for a service */
export const llamaIndex =
  ({ llamaindex, z, makeModel, makeEmbedding }) =>
  (service) => {
    const llm = makeModel(service);
    const embedding = makeEmbedding?.(service, EMBEDDER);
    return {
      chat: async () => (await llm.chat({ messages: user(HELLO) })).message.content,
      stream: async () => collect(await llm.chat({ messages: user(HELLO), stream: true }), ({ delta }) => delta),
      tools: async () => {
        const weather = createWeather();
        const get_weather = llamaindex.tool({
          name: 'get_weather',
          description: 'The weather of a city.',
          parameters: z.object({ city: z.string() }),
          execute: (input) => weather.report(input),
        });
        const messages = user(WEATHER);
        for (let turn = 0; turn < 3; turn += 1) {
          const { newMessages, toolCalls } = await llm.exec({ messages, tools: [get_weather] });
          messages.push(...newMessages);
          if (toolCalls.length === 0) return { text: newMessages.at(-1).content, asked: weather.asked };
        }
        return { text: '', asked: weather.asked };
      },
      object: async () => {
        const responseFormat = z.object({ city: z.string(), days: z.number() });
        const { object, message } = (await llm.exec)
          ? await llm.chat({ messages: user(objectPrompt('json')), responseFormat })
          : {};
        return object ?? JSON.parse(message.content);
      },
      ...(embedding && { embeddings: () => embedding.getTextEmbeddings(['one', 'two']) }),
    };
  };

export const llamaIndexOpenai =
  ({ OpenAI }) =>
  ({ baseURL }) =>
    new OpenAI({ model: CHAT, apiKey: 'any', baseURL, maxRetries: 0 });

export const llamaIndexOpenaiEmbedding =
  ({ OpenAIEmbedding }) =>
  ({ baseURL }, model) =>
    new OpenAIEmbedding({ model, apiKey: 'any', baseURL, maxRetries: 0 });

/** A postprocessor, which gives nodes back instead of their places. */
export const llamaIndexCohere =
  ({ CohereRerank }, { TextNode }) =>
  ({ origin }) => {
    const ranker = new CohereRerank({ apiKey: 'any', baseUrl: origin, model: RANKER, topN: 2 });
    return {
      rerank: async () => {
        const nodes = DOCUMENTS.map((text) => ({ node: new TextNode({ text }) }));
        const ranked = await ranker.postprocessNodes(nodes, QUERY);
        const placeOf = (found) => nodes.findIndex(({ node }) => node === found);
        return ranked.map(({ node, score }) => ({ index: placeOf(node), relevanceScore: score }));
      },
    };
  };
