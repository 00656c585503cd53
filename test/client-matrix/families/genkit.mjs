// Genkit over its plugin for services that are compatible with OpenAI's.
import { CHAT, collect, createWeather, EMBEDDER, HELLO, objectPrompt, WEATHER } from '../task.mjs';

/** @param genkit the package. @param openAI the plugin */
export const genkitOpenai =
  ({ genkit, z }, openAI) =>
  ({ baseURL }) => {
    const ai = genkit({ plugins: [openAI({ apiKey: 'any', baseURL })], model: openAI.model(CHAT) });
    return {
      chat: async () => (await ai.generate({ system: 'Be brief.', prompt: HELLO })).text,
      stream: async () => collect(ai.generateStream(HELLO).stream, ({ text }) => text),
      tools: async () => {
        const weather = createWeather();
        const description = 'The weather of a city.';
        const inputSchema = z.object({ city: z.string() });
        const get_weather = ai.defineTool(
          { name: 'get_weather', description, inputSchema, outputSchema: z.string() },
          async (input) => weather.report(input),
        );
        const { text } = await ai.generate({ prompt: WEATHER, tools: [get_weather] });
        return { text, asked: weather.asked };
      },
      object: async () => {
        const schema = z.object({ city: z.string(), days: z.number() });
        return (await ai.generate({ prompt: objectPrompt('json'), output: { schema } })).output;
      },
      embeddings: async () => {
        const vectors = [];
        for (const content of ['one', 'two']) {
          const [{ embedding }] = await ai.embed({ embedder: openAI.embedder(EMBEDDER), content });
          vectors.push(embedding);
        }
        return vectors;
      },
    };
  };
