import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  embedMany,
  generateObject,
  generateText,
  stepCountIs,
  jsonSchema,
  type LanguageModel,
  streamText,
  tool,
} from 'ai';
import * as z from 'zod';
import {
  ANSWER,
  CHAT,
  type Connection,
  EMBEDDER,
  failureOf,
  OBJECT,
  REASONING,
  type Scenario,
  TEXT,
  WEATHER_SCHEMA,
} from './scenario.js';

interface Provider {
  name: string;
  model: (connection: Connection) => LanguageModel;
  /** What makes it reason; absent: the provider shows no open reasoning. */
  thinking?: Record<string, Record<string, never>>;
  objectPrompt: string;
}

const compatible = (connection: Connection) =>
  createOpenAICompatible({ name: 'inpage', ...connection, apiKey: 'any', supportsStructuredOutputs: true });

const PROVIDERS: Provider[] = [
  {
    name: '@ai-sdk/openai responses',
    model: (connection) => createOpenAI({ ...connection, apiKey: 'any' })(CHAT),
    objectPrompt: 'An object, please.',
  },
  {
    name: '@ai-sdk/openai chat',
    model: (connection) => createOpenAI({ ...connection, apiKey: 'any' }).chat(CHAT),
    objectPrompt: 'An object, please.',
  },
  {
    name: '@ai-sdk/openai-compatible',
    model: (connection) => compatible(connection)(CHAT),
    thinking: { inpage: { chat_template_kwargs: { enable_thinking: true } as never } },
    objectPrompt: 'An object, please.',
  },
  {
    name: '@ai-sdk/anthropic',
    model: (connection) => createAnthropic({ ...connection, apiKey: 'any' })(CHAT),
    thinking: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } as never } },
    // To a model that it does not know, this provider describes the object as a tool.
    objectPrompt: 'To be called.',
  },
];

const weatherTools = {
  get_weather: tool({
    description: 'The weather of a city.',
    inputSchema: jsonSchema<{ city: string }>(WEATHER_SCHEMA),
    execute: async ({ city }) => `It is sunny in ${city}.`,
  }),
};

function scenariosOf({ name, model, thinking, objectPrompt }: Provider): Scenario[] {
  const plain = (connection: Connection) => ({ model: model(connection), maxRetries: 0 });
  return [
    {
      name: `ai generateText through ${name}`,
      run: async (connection) => {
        const { text, finishReason, usage } = await generateText({ ...plain(connection), prompt: 'Hello' });
        return { text, finishReason, isUsed: (usage.outputTokens ?? 0) > 0 };
      },
      expected: { text: TEXT, finishReason: 'stop', isUsed: true },
    },
    {
      name: `ai streamText through ${name}`,
      run: async (connection) => {
        const options = thinking ? { providerOptions: thinking } : {};
        const result = streamText({ ...plain(connection), prompt: 'Hello', ...options });
        let text = '';
        for await (const piece of result.textStream) text += piece;
        return {
          text,
          reasoning: thinking ? await result.reasoningText : REASONING,
          reason: await result.finishReason,
        };
      },
      expected: { text: TEXT, reasoning: REASONING, reason: 'stop' },
    },
    {
      name: `ai generateObject through ${name}`,
      run: async (connection) => {
        const schema = z.object({ city: z.string(), days: z.number() });
        return (await generateObject({ ...plain(connection), schema, prompt: objectPrompt })).object;
      },
      expected: OBJECT,
    },
    {
      name: `ai generateText tool loop through ${name}`,
      run: async (connection) => {
        const { text, steps } = await generateText({
          ...plain(connection),
          prompt: 'How is the weather?',
          tools: weatherTools,
          stopWhen: stepCountIs(3),
        });
        return { text, steps: steps.length, input: steps[0]?.toolCalls[0]?.input };
      },
      expected: { text: ANSWER, steps: 2, input: { city: 'Paris' } },
    },
    {
      name: `ai streamText tool loop through ${name}`,
      run: async (connection) => {
        const result = streamText({
          ...plain(connection),
          prompt: 'How is the weather?',
          tools: weatherTools,
          stopWhen: stepCountIs(3),
        });
        return { text: await result.text, steps: (await result.steps).length };
      },
      expected: { text: ANSWER, steps: 2 },
    },
    {
      name: `ai errors through ${name}`,
      run: (connection) => failureOf(generateText({ ...plain(connection), prompt: 'Hello', topP: 7 })),
      expected: { name: 'APICallError' },
    },
  ];
}

/** The `ai` package through its providers. */
export const aiSdkScenarios: Scenario[] = [
  ...PROVIDERS.flatMap(scenariosOf),
  {
    name: 'ai embedMany through @ai-sdk/openai-compatible',
    run: async (connection) => {
      const model = compatible(connection).embeddingModel(EMBEDDER);
      const { embeddings } = await embedMany({ model, values: ['one', 'two'] });
      return { count: embeddings.length, isLong: embeddings.every(({ length }) => length > 1) };
    },
    expected: { count: 2, isLong: true },
  },
];
