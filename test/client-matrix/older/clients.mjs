// Majors of the last three years.
import { aiSdkClients } from '../families/ai-sdk.mjs';
import { anthropic } from '../families/anthropic.mjs';
import { langchainAnthropic, langchainCompletions, langchainOpenai } from '../families/langchain.mjs';
import { openaiChat, openaiResponses } from '../families/openai.mjs';

async function langchain() {
  const { tool } = await import('@langchain/core/tools');
  const { createReactAgent } = await import('@langchain/langgraph/prebuilt');
  return {
    openai: await import('@langchain/openai'),
    anthropic: await import('@langchain/anthropic'),
    tool,
    agent: (llm, tools) => createReactAgent({ llm, tools }),
  };
}

const openai = {
  'openai-4': () => import('openai-4'),
  'openai-5': () => import('openai-5'),
  'openai-6': () => import('openai-6'),
};
const anthropics = {
  'anthropic-0.30': () => import('anthropic-0.30'),
  'anthropic-0.50': () => import('anthropic-0.50'),
  'anthropic-0.80': () => import('anthropic-0.80'),
  'anthropic-0.137': () => import('anthropic-0.137'),
};
const ai4 = {
  ai: () => import('ai-4'),
  openai: () => import('ai-4-openai'),
  compatible: () => import('ai-4-compatible'),
  anthropic: () => import('ai-4-anthropic'),
};

const LANGCHAIN_OPENAI = ['@langchain/core', '@langchain/openai'];

/** Each client: its packages, and its start, when it is its turn. */
export const clients = {
  ...Object.fromEntries(
    Object.entries(openai).flatMap(([name, load]) => [
      [`${name} chat`, { packages: [name], start: async () => openaiChat(await load()) }],
      [`${name} responses`, { packages: [name], start: async () => openaiResponses(await load()) }],
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(anthropics).map(([name, load]) => [
      name,
      { packages: [name], start: async () => anthropic(await load()) },
    ]),
  ),
  ...aiSdkClients('ai-4', ai4),
  'langchain-0.3 openai': { packages: LANGCHAIN_OPENAI, start: async () => langchainOpenai(await langchain()) },
  'langchain-0.3 openai-responses': {
    packages: LANGCHAIN_OPENAI,
    // This version reads JSON out of chat completions only.
    start: async () => langchainOpenai(await langchain(), { useResponsesApi: true }, 'functionCalling'),
  },
  'langchain-0.3 completions': {
    packages: LANGCHAIN_OPENAI,
    start: async () => langchainCompletions(await langchain()),
  },
  'langchain-0.3 anthropic, topP and topK set': {
    packages: ['@langchain/core', '@langchain/anthropic'],
    // Its own defaults, -1, are out of the specification's range.
    start: async () => langchainAnthropic(await langchain(), { topP: 1, topK: 40 }),
  },
};
