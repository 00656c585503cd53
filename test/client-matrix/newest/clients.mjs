// The newest of each family, and the majors of the AI SDK before it that most apps still have.
import { openaiAgents } from '../families/agents.mjs';
import { aiSdkClients } from '../families/ai-sdk.mjs';
import { anthropic } from '../families/anthropic.mjs';
import { cohereClient, cohereSdk } from '../families/cohere.mjs';
import { genkitOpenai } from '../families/genkit.mjs';
import { langchainAnthropic, langchainCohere, langchainCompletions, langchainOpenai } from '../families/langchain.mjs';
import { llamaIndex, llamaIndexCohere, llamaIndexOpenai, llamaIndexOpenaiEmbedding } from '../families/llamaindex.mjs';
import { mastra } from '../families/mastra.mjs';
import { openaiChat, openaiResponses } from '../families/openai.mjs';
import { tanstack, tanstackAdapters } from '../families/tanstack.mjs';

async function langchain() {
  const { tool } = await import('@langchain/core/tools');
  const { createAgent } = await import('langchain');
  return {
    openai: await import('@langchain/openai'),
    anthropic: await import('@langchain/anthropic'),
    tool,
    agent: (model, tools) => createAgent({ model, tools }),
  };
}

async function langgraph() {
  const { createReactAgent } = await import('@langchain/langgraph/prebuilt');
  return { ...(await langchain()), agent: (llm, tools) => createReactAgent({ llm, tools }) };
}

async function agents(api, options) {
  const { default: OpenAI } = await import('openai-7');
  return openaiAgents(await import('@openai/agents'), OpenAI, api, options);
}

async function tan(adapters, makeAdapters) {
  const { z } = await import('zod');
  return tanstack(await import('@tanstack/ai'), z, makeAdapters(await adapters));
}

const ai = {
  'ai-7': {
    ai: () => import('ai-7'),
    openai: () => import('ai-7-openai'),
    compatible: () => import('ai-7-compatible'),
    anthropic: () => import('ai-7-anthropic'),
  },
  'ai-6': {
    ai: () => import('ai-6'),
    openai: () => import('ai-6-openai'),
    compatible: () => import('ai-6-compatible'),
    anthropic: () => import('ai-6-anthropic'),
  },
  'ai-5': {
    ai: () => import('ai-5'),
    openai: () => import('ai-5-openai'),
    compatible: () => import('ai-5-compatible'),
    anthropic: () => import('ai-5-anthropic'),
  },
};

const LANGCHAIN_OPENAI = ['langchain', '@langchain/openai'];
const TANSTACK_OPENAI = ['@tanstack/ai', '@tanstack/ai-openai'];

/** Each client: its packages, and its start, when it is its turn. */
export const clients = {
  'openai-7 chat': { packages: ['openai-7'], start: async () => openaiChat(await import('openai-7')) },
  'openai-7 responses': { packages: ['openai-7'], start: async () => openaiResponses(await import('openai-7')) },
  'anthropic-1': { packages: ['anthropic-1'], start: async () => anthropic(await import('anthropic-1')) },
  'anthropic-1 system message, hosted': {
    packages: ['anthropic-1'],
    start: async () => anthropic(await import('anthropic-1'), { hosted: true }),
  },
  ...Object.assign(
    {},
    ...Object.entries(ai).map(([name, modules]) => aiSdkClients(name, modules, { 'responses, hosted': 'openai' })),
  ),
  'cohere-ai v2': {
    packages: ['cohere-ai'],
    start: async () => cohereClient((await import('cohere-ai')).CohereClientV2),
  },
  'cohere-ai v1': {
    packages: ['cohere-ai'],
    start: async () => cohereClient((await import('cohere-ai')).CohereClient),
  },
  'ai-6 cohere': {
    packages: ['ai-6', 'ai-6-cohere'],
    start: async () => cohereSdk(await import('ai-6'), await import('ai-6-cohere')),
  },
  'langchain openai': { packages: LANGCHAIN_OPENAI, start: async () => langchainOpenai(await langchain()) },
  'langchain openai-responses': {
    packages: LANGCHAIN_OPENAI,
    start: async () => langchainOpenai(await langchain(), { useResponsesApi: true }),
  },
  'langchain openai-responses, hosted': {
    packages: LANGCHAIN_OPENAI,
    start: async () => langchainOpenai(await langchain(), { useResponsesApi: true, hosted: true }),
  },
  'langchain completions': { packages: LANGCHAIN_OPENAI, start: async () => langchainCompletions(await langchain()) },
  'langchain anthropic': {
    packages: ['langchain', '@langchain/anthropic'],
    start: async () => langchainAnthropic(await langchain()),
  },
  'langchain cohere': {
    packages: ['@langchain/cohere', 'cohere-ai'],
    start: async () => langchainCohere(await import('@langchain/cohere'), await import('cohere-ai')),
  },
  'langgraph openai': {
    packages: ['@langchain/langgraph', '@langchain/openai'],
    start: async () => langchainOpenai(await langgraph()),
  },
  'openai-agents responses': { packages: ['@openai/agents'], start: () => agents('responses') },
  'openai-agents responses, hosted': {
    packages: ['@openai/agents'],
    start: () => agents('responses', { hosted: true }),
  },
  'openai-agents chat': { packages: ['@openai/agents'], start: () => agents('chat_completions') },
  mastra: {
    packages: ['@mastra/core'],
    start: async () => {
      const { Agent } = await import('@mastra/core/agent');
      const { createTool } = await import('@mastra/core/tools');
      return mastra({ Agent, createTool, z: (await import('zod')).z });
    },
  },
  'tanstack responses': {
    packages: TANSTACK_OPENAI,
    start: () => tan(import('@tanstack/ai-openai'), tanstackAdapters.openai),
  },
  'tanstack chat': {
    packages: TANSTACK_OPENAI,
    start: () => tan(import('@tanstack/ai-openai'), tanstackAdapters.openaiChat),
  },
  'tanstack anthropic': {
    packages: ['@tanstack/ai', '@tanstack/ai-anthropic'],
    start: () => tan(import('@tanstack/ai-anthropic'), tanstackAdapters.anthropic),
  },
  'llamaindex openai': {
    packages: ['llamaindex', '@llamaindex/openai'],
    start: async () => {
      const openai = await import('@llamaindex/openai');
      const { z } = await import('zod');
      const makeEmbedding = llamaIndexOpenaiEmbedding(openai);
      return llamaIndex({
        llamaindex: await import('llamaindex'),
        z,
        makeModel: llamaIndexOpenai(openai),
        makeEmbedding,
      });
    },
  },
  'llamaindex cohere': {
    packages: ['@llamaindex/cohere', 'llamaindex'],
    start: async () => llamaIndexCohere(await import('@llamaindex/cohere'), await import('llamaindex')),
  },
  genkit: {
    packages: ['genkit', '@genkit-ai/compat-oai'],
    start: async () => {
      const { default: openAI } = await import('@genkit-ai/compat-oai/openai');
      return genkitOpenai(await import('genkit'), openAI);
    },
  },
};
