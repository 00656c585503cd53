// TanStack AI through its adapters.
import { CHAT, collect, createWeather, EMBEDDER, HELLO, LISTENER, objectPrompt, silence, WEATHER } from '../task.mjs';

const user = (content) => [{ role: 'user', content }];

/** @param ai @tanstack/ai. @param z zod. @param makeAdapters language model and what else there is, for a service */
export const tanstack = (ai, z, makeAdapters) => (service) => {
  const { language: adapter, embedding, speech } = makeAdapters(service);
  return {
    chat: () => ai.chat({ adapter, messages: user(HELLO), stream: false }),
    stream: async () =>
      collect(ai.chat({ adapter, messages: user(HELLO) }), (chunk) =>
        /CONTENT$/i.test(chunk.type) ? chunk.delta : '',
      ),
    tools: async () => {
      const weather = createWeather();
      const get_weather = ai
        .toolDefinition({
          name: 'get_weather',
          description: 'The weather of a city.',
          inputSchema: z.object({ city: z.string() }),
        })
        .server(async (input) => weather.report(input));
      const text = await ai.chat({ adapter, messages: user(WEATHER), tools: [get_weather], stream: false });
      return { text: text.replace(/^(Let me look\.)+/, ''), asked: weather.asked };
    },
    object: () =>
      ai.chat({
        adapter,
        messages: user(objectPrompt('structured_output')),
        outputSchema: z.object({ city: z.string(), days: z.number() }),
        stream: false,
      }),
    ...(embedding && {
      embeddings: async () =>
        (await ai.embed({ adapter: embedding, input: ['one', 'two'] })).embeddings.map(
          (entry) => entry.vector ?? entry.embedding ?? entry,
        ),
    }),
    ...(speech && {
      speech: async () => {
        const audio = new File([silence()], 'sound.wav', { type: 'audio/wav' });
        return (await ai.generateTranscription({ adapter: speech, audio })).text;
      },
    }),
  };
};

export const tanstackAdapters = {
  openai:
    ({ createOpenaiChat, createOpenaiEmbedding, createOpenaiTranscription }) =>
    ({ baseURL }) => ({
      language: createOpenaiChat(CHAT, 'any', { baseURL, maxRetries: 0 }),
      embedding: createOpenaiEmbedding(EMBEDDER, 'any', { baseURL, maxRetries: 0 }),
      speech: createOpenaiTranscription(LISTENER, 'any', { baseURL, maxRetries: 0 }),
    }),
  openaiChat:
    ({ createOpenaiChatCompletions }) =>
    ({ baseURL }) => ({ language: createOpenaiChatCompletions(CHAT, 'any', { baseURL, maxRetries: 0 }) }),
  anthropic:
    ({ createAnthropicChat }) =>
    ({ origin }) => ({ language: createAnthropicChat(CHAT, 'any', { baseURL: origin, maxRetries: 0 }) }),
};
