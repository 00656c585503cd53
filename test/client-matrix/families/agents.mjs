// @openai/agents, by responses and by chat completions.
import { CHAT, collect, createWeather, HELLO, OBJECT_SCHEMA, objectPrompt, WEATHER, WEATHER_SCHEMA } from '../task.mjs';

/** @param api `responses` or `chat_completions` */
export const openaiAgents =
  (agents, OpenAI, api) =>
  ({ baseURL }) => {
    agents.setTracingDisabled(true);
    agents.setOpenAIAPI(api);
    agents.setDefaultOpenAIClient(new OpenAI({ baseURL, apiKey: 'any', maxRetries: 0 }));
    const agent = (options = {}) =>
      new agents.Agent({ name: 'Helper', instructions: 'Be brief.', model: CHAT, ...options });
    return {
      chat: async () => (await agents.run(agent(), HELLO)).finalOutput,
      stream: async () => collect((await agents.run(agent(), HELLO, { stream: true })).toTextStream()),
      tools: async () => {
        const weather = createWeather();
        const get_weather = agents.tool({
          name: 'get_weather',
          description: 'The weather of a city.',
          parameters: WEATHER_SCHEMA,
          strict: true,
          execute: async (input) => weather.report(input),
        });
        const { finalOutput: text } = await agents.run(agent({ tools: [get_weather] }), WEATHER, { maxTurns: 4 });
        return { text, asked: weather.asked };
      },
      object: async () => {
        const outputType = { type: 'json_schema', name: 'place', strict: true, schema: OBJECT_SCHEMA };
        return (await agents.run(agent({ outputType }), objectPrompt('json'))).finalOutput;
      },
    };
  };
