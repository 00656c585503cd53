// @openai/agents, by responses and by chat completions.
import {
  CHAT,
  collect,
  createWeather,
  GO_ON,
  HELLO,
  OBJECT_SCHEMA,
  objectPrompt,
  onceMore,
  statusOfError,
  STORY,
  UNKNOWN,
  WEATHER,
  WEATHER_SCHEMA,
} from '../task.mjs';

/** @param api `responses` or `chat_completions`. @param hosted whether by the service that stores responses */
export const openaiAgents =
  (agents, OpenAI, api, { hosted = false } = {}) =>
  ({ baseURL: service, origin, name }) => {
    const baseURL = hosted ? `${origin}/hosted/v1` : service;
    agents.setTracingDisabled(true);
    agents.setOpenAIAPI(api);
    const clientOf = (maxRetries) => new OpenAI({ baseURL, apiKey: 'any', maxRetries });
    const client = clientOf(0);
    agents.setDefaultOpenAIClient(client);
    const agent = (options = {}) =>
      new agents.Agent({ name: 'Helper', instructions: 'Be brief.', model: CHAT, ...options });
    return {
      chat: async () => (await agents.run(agent(), HELLO)).finalOutput,
      errors: () => statusOfError(() => agents.run(agent({ model: UNKNOWN }), HELLO)),
      retries: async () => {
        const provider = new agents.OpenAIProvider({ openAIClient: clientOf(1), useResponses: api === 'responses' });
        return (await new agents.Runner({ modelProvider: provider }).run(agent(), onceMore(name))).finalOutput;
      },
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
      ...(hosted && {
        turns: async () => {
          const tokensOf = async (input, options) => {
            const result = await agents.run(agent(), input, options);
            return { id: result.lastResponseId, tokens: result.rawResponses.at(-1).usage.inputTokens };
          };
          const session = new agents.OpenAIConversationsSession({ client });
          const first = await tokensOf(STORY, { session });
          const inSession = await tokensOf(GO_ON, { session });
          const { id } = await tokensOf(STORY);
          const chained = await tokensOf(GO_ON, { previousResponseId: id });
          const { id: conversationId } = await client.conversations.create();
          await tokensOf(STORY, { conversationId });
          const inConversation = await tokensOf(GO_ON, { conversationId });
          return [first, inSession, chained, inConversation].map(({ tokens }) => tokens);
        },
      }),
    };
  };
