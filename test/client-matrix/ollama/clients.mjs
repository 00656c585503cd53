// Clients of Ollama's API. They need `ai` by its own name, so they have packages of their own.
import { aiSdk } from '../families/ai-sdk.mjs';
import { langchainOllama } from '../families/langchain.mjs';
import { interceptingFetch, ollamaClient } from '../families/ollama.mjs';
import { modelsOf } from './models-of.mjs';

async function langchain() {
  const { tool } = await import('@langchain/core/tools');
  const { createAgent } = await import('langchain');
  return { ollama: await import('@langchain/ollama'), tool, agent: (model, tools) => createAgent({ model, tools }) };
}

/** Their own default address, by a `fetch` that answers it. */
const usual = (service) => ({ fetch: interceptingFetch(service) });

/** A client at an address that it is told, and at its own. */
function clientsOf(name, packages, start, optionsOf) {
  return {
    [name]: { packages, start: () => start(optionsOf) },
    [`${name} usual address`]: { packages, start: () => start(usual) },
  };
}

/** Each client: its packages, and its start, when it is its turn. */
export const clients = {
  ...clientsOf(
    'ollama',
    ['ollama'],
    async (optionsOf) => ollamaClient(await import('ollama'), optionsOf),
    ({ baseURL }) => ({ host: baseURL }),
  ),
  'ollama server': {
    packages: ['ollama'],
    start: async () => ollamaClient(await import('ollama'), ({ origin }) => ({ host: origin })),
  },
  'ollama browser build': {
    packages: ['ollama'],
    start: async () => ollamaClient(await import('ollama/browser'), ({ baseURL }) => ({ host: baseURL })),
  },
  ...clientsOf(
    'ai-sdk-ollama',
    ['ai-sdk-ollama', 'ai'],
    async (optionsOf) => aiSdk(await import('ai'), await import('ai-sdk-ollama'), modelsOf(optionsOf, false)),
    ({ baseURL }) => ({ baseURL }),
  ),
  ...clientsOf(
    'ollama-ai-provider-v2',
    ['ollama-ai-provider-v2', 'ai'],
    async (optionsOf) => aiSdk(await import('ai'), await import('ollama-ai-provider-v2'), modelsOf(optionsOf)),
    ({ baseURL }) => ({ baseURL: `${baseURL}/api` }),
  ),
  ...clientsOf(
    'langchain-ollama',
    ['langchain', '@langchain/ollama'],
    async (optionsOf) => langchainOllama(await langchain(), optionsOf),
    ({ baseURL }) => ({ baseUrl: baseURL }),
  ),
};
