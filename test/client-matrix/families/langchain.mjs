// LangChain's chat models, embeddings and completions, and agents of LangGraph.
import {
  CHAT,
  collect,
  createWeather,
  DOCUMENTS,
  EMBEDDER,
  GO_ON,
  HELLO,
  OBJECT_SCHEMA,
  objectPrompt,
  onceMore,
  QUERY,
  RANKER,
  statusOfError,
  STORY,
  UNKNOWN,
  WEATHER,
  WEATHER_SCHEMA,
} from '../task.mjs';

const textOf = ({ content }) =>
  typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('');

/**
 * What every chat model of LangChain can do. `agent` runs the tool loop; without a `name` of the client it does not ask again.
 * @param makeModel with options of its own
 */
function tasksOf(makeModel, { tool, agent, method, name }) {
  const model = makeModel({});
  return {
    errors: () => statusOfError(() => makeModel({ model: UNKNOWN }).invoke(HELLO)),
    ...(name && { retries: async () => textOf(await makeModel({ maxRetries: 1 }).invoke(onceMore(name))) }),
    chat: async () =>
      textOf(
        await model.invoke([
          ['system', 'Be brief.'],
          ['human', HELLO],
        ]),
      ),
    stream: async () => collect(await model.stream(HELLO), textOf),
    tools: async () => {
      const weather = createWeather();
      const get_weather = tool(async (input) => weather.report(input), {
        name: 'get_weather',
        description: 'The weather of a city.',
        schema: WEATHER_SCHEMA,
      });
      const { messages } = await agent(model, [get_weather]).invoke({ messages: [{ role: 'user', content: WEATHER }] });
      return { text: textOf(messages.at(-1)), asked: weather.asked };
    },
    object: async () => {
      const options = { name: 'extract', ...(method && { method }) };
      return model
        .withStructuredOutput({ title: 'extract', ...OBJECT_SCHEMA }, options)
        .invoke(objectPrompt('extract'));
    },
  };
}

/**
 * @param modules `openai` and `anthropic` packages, `tool` of core, and `agent`
 * @param options of the model; `hosted`: by the service that stores responses
 */
export const langchainOpenai =
  ({ openai, tool, agent }, { hosted = false, ...options } = {}, method = 'jsonSchema') =>
  ({ baseURL: service, origin, name }) => {
    const baseURL = hosted ? `${origin}/hosted/v1` : service;
    const common = { apiKey: 'any', maxRetries: 0, configuration: { baseURL } };
    const makeModel = (own) => new openai.ChatOpenAI({ ...common, model: CHAT, ...options, ...own });
    const model = makeModel({});
    const embeddings = new openai.OpenAIEmbeddings({ ...common, model: EMBEDDER });
    return {
      ...tasksOf(makeModel, { tool, agent, method, name }),
      embeddings: () => embeddings.embedDocuments(['one', 'two']),
      ...(hosted && {
        turns: async () => {
          const first = await model.invoke(STORY);
          const next = await model.invoke(GO_ON, { previous_response_id: first.response_metadata.id });
          return [first, next].map(({ usage_metadata: { input_tokens: tokens } }) => tokens);
        },
      }),
    };
  };

/** Prompts go to `/completions`, always as an array. */
export const langchainCompletions =
  ({ openai }) =>
  ({ baseURL }) => {
    const model = new openai.OpenAI({ apiKey: 'any', maxRetries: 0, configuration: { baseURL }, model: CHAT });
    return {
      chat: async () => {
        const [first, second] = await model.batch([HELLO, HELLO]);
        return first === second ? first : `${first} and ${second}`;
      },
      stream: async () => collect(await model.stream(HELLO)),
    };
  };

export const langchainAnthropic =
  ({ anthropic, tool, agent }, more = {}) =>
  ({ origin, name }) => {
    const options = { ...more, apiKey: 'any', maxRetries: 0, anthropicApiUrl: origin, model: CHAT, maxTokens: 1000 };
    const makeModel = (own) => new anthropic.ChatAnthropic({ ...options, ...own });
    return tasksOf(makeModel, { tool, agent, name });
  };

/** @param optionsOf where the service is */
export const langchainOllama =
  ({ ollama, tool, agent }, optionsOf) =>
  (service) => {
    const options = { ...optionsOf(service), maxRetries: 0 };
    const makeModel = (own) => new ollama.ChatOllama({ ...options, model: CHAT, ...own });
    const embeddings = new ollama.OllamaEmbeddings({ ...options, model: EMBEDDER });
    return {
      ...tasksOf(makeModel, { tool, agent, method: 'jsonSchema' }),
      embeddings: () => embeddings.embedDocuments(['one', 'two']),
    };
  };

/** Cohere's reranker asks the first version of the service, below any base. */
export const langchainCohere =
  ({ CohereRerank }, { CohereClient }) =>
  ({ origin }) => {
    const client = new CohereClient({ token: 'any', environment: origin });
    return { rerank: () => new CohereRerank({ client, model: RANKER, topN: 2 }).rerank(DOCUMENTS, QUERY) };
  };
