// The AI SDK through its providers.
import {
  CHAT,
  CHOICES,
  collect,
  COMPLAINT,
  createWeather,
  EMBEDDER,
  GO_ON,
  HELLO,
  IS_ANGRY,
  LISTENER,
  OBJECT_SCHEMA,
  objectPrompt,
  onceMore,
  silence,
  statusOfError,
  STORY,
  UNKNOWN,
  WEATHER,
  WEATHER_SCHEMA,
} from '../task.mjs';

/** How each provider makes its models. */
const PROVIDERS = {
  responses: ({ createOpenAI }, { baseURL }, model = CHAT) => {
    const openai = createOpenAI({ baseURL, apiKey: 'any' });
    return {
      language: openai.responses(model),
      embedding: openai.embedding?.(EMBEDDER),
      speech: openai.transcription?.(LISTENER),
      decision: openai.decisionModel?.(CHAT),
    };
  },
  // As the SDK asks a hosted service: what is stored is named by its ids.
  'responses, hosted': ({ createOpenAI }, { origin }, model = CHAT) => ({
    language: createOpenAI({ baseURL: `${origin}/hosted/v1`, apiKey: 'any' }).responses(model),
    isStored: true,
  }),
  chat: ({ createOpenAI }, { baseURL }, model = CHAT) => ({
    language: createOpenAI({ baseURL, apiKey: 'any' }).chat(model),
  }),
  compatible: ({ createOpenAICompatible }, { baseURL }, model = CHAT) => {
    const compatible = createOpenAICompatible({
      name: 'inpage',
      baseURL,
      apiKey: 'any',
      supportsStructuredOutputs: true,
    });
    return { language: compatible(model), embedding: compatible.textEmbeddingModel(EMBEDDER) };
  },
  anthropic: ({ createAnthropic }, { baseURL }, model = CHAT) => ({
    language: createAnthropic({ baseURL, apiKey: 'any' })(model),
  }),
};

/** @param make one of {@link PROVIDERS}, or as these */
export const aiSdk = (ai, provider, make) => (service) => {
  const { language: model, embedding, speech, decision, isStored, isRepeated = true } = make(provider, service);
  const stepsOf = ai.isStepCount ?? ai.stepCountIs;
  const plain = { model, maxRetries: 0 };
  const transcribe = ai.transcribe ?? ai.experimental_transcribe;
  return {
    chat: async () => (await ai.generateText({ ...plain, prompt: HELLO })).text,
    errors: () => {
      const unknown = make(provider, service, UNKNOWN).language;
      return statusOfError(() => ai.generateText({ ...plain, model: unknown, prompt: HELLO }));
    },
    ...(isRepeated && {
      retries: async () => (await ai.generateText({ model, maxRetries: 1, prompt: onceMore(service.name) })).text,
    }),
    stream: async () => collect(ai.streamText({ ...plain, prompt: HELLO }).textStream),
    tools: async () => {
      const weather = createWeather();
      const schema = ai.jsonSchema(WEATHER_SCHEMA);
      // Version 4 has other names for both.
      const get_weather = ai.tool({
        description: 'The weather of a city.',
        ...(stepsOf ? { inputSchema: schema } : { parameters: schema }),
        execute: async (input) => weather.report(input),
      });
      const { text } = await ai.generateText({
        ...plain,
        system: 'Be brief.',
        prompt: WEATHER,
        tools: { get_weather },
        ...(stepsOf ? { stopWhen: stepsOf(3) } : { maxSteps: 3 }),
      });
      return { text, asked: weather.asked };
    },
    object: async () =>
      (await ai.generateObject({ ...plain, schema: ai.jsonSchema(OBJECT_SCHEMA), prompt: objectPrompt('json') }))
        .object,
    ...(isStored && {
      turns: async () => {
        const user = (content) => ({ role: 'user', content });
        const first = await ai.generateText({ ...plain, messages: [user(STORY)] });
        const { messages } = first.response;
        const byItems = await ai.generateText({ ...plain, messages: [user(STORY), ...messages, user(GO_ON)] });
        const openai = { previousResponseId: first.providerMetadata.openai.responseId };
        const chained = await ai.generateText({ ...plain, prompt: GO_ON, providerOptions: { openai } });
        return [first, byItems, chained].map(({ usage }) => usage.inputTokens);
      },
    }),
    ...(embedding && {
      embeddings: async () =>
        (await ai.embedMany({ model: embedding, values: ['one', 'two'], maxRetries: 0 })).embeddings,
    }),
    ...(decision &&
      ai.experimental_decide && {
        decisions: async () => {
          const questions = {
            angry: { type: 'boolean', criteria: { true: IS_ANGRY } },
            feeling: { type: 'choice', instructions: 'Which feeling?', criteria: CHOICES },
          };
          const { answers } = await ai.experimental_decide({
            model: decision,
            state: COMPLAINT,
            questions,
            maxRetries: 0,
          });
          return { probability: answers.angry.probability, choice: answers.feeling.choice };
        },
      }),
    ...(speech &&
      transcribe && {
        speech: async () => (await transcribe({ model: speech, audio: silence(), maxRetries: 0 })).text,
      }),
  };
};

/**
 * The clients of one version of `ai`, one per way through its providers.
 * @param name its alias. @param modules loaders of `ai`, and of its providers `openai`, `compatible` and `anthropic`
 * @param more ways that only some versions go, and their providers
 */
export function aiSdkClients(name, modules, more = {}) {
  const ways = {
    responses: 'openai',
    ...more,
    chat: 'openai',
    compatible: 'compatible',
    anthropic: 'anthropic',
  };
  return Object.fromEntries(
    Object.entries(ways).map(([way, provider]) => [
      `${name} ${way}`,
      {
        packages: [name, `${name}-${provider}`],
        start: async () => aiSdk(await modules.ai(), await modules[provider](), PROVIDERS[way]),
      },
    ]),
  );
}
