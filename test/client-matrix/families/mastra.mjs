// Mastra's agents over their own model router.
import { CHAT, collect, createWeather, HELLO, objectPrompt, WEATHER } from '../task.mjs';

/** @param modules `Agent` and `createTool` of @mastra/core, and zod */
export const mastra =
  ({ Agent, createTool, z }) =>
  ({ baseURL }) => {
    const model = { id: `openai/${CHAT}`, url: baseURL, apiKey: 'any' };
    const agent = (options = {}) =>
      new Agent({ id: 'helper', name: 'Helper', instructions: 'Be brief.', model, maxRetries: 0, ...options });
    return {
      chat: async () => (await agent().generate(HELLO)).text,
      stream: async () => collect((await agent().stream(HELLO)).textStream),
      tools: async () => {
        const weather = createWeather();
        const get_weather = createTool({
          id: 'get_weather',
          description: 'The weather of a city.',
          inputSchema: z.object({ city: z.string() }),
          execute: async (input) => weather.report(input.context ?? input),
        });
        const { text } = await agent({ tools: { get_weather } }).generate(WEATHER, { maxSteps: 3 });
        return { text: text.replace(/^(Let me look\.)+/, ''), asked: weather.asked };
      },
      object: async () => {
        const schema = z.object({ city: z.string(), days: z.number() });
        return (await agent().generate(objectPrompt('json'), { structuredOutput: { schema } })).object;
      },
    };
  };
