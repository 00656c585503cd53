// Clients of Ollama's API in a page, as one script for the tests. Each works with the `fetch` that it is given.
import { createAgent } from 'langchain';
import { tool } from '@langchain/core/tools';
import * as langchainPackage from '@langchain/ollama';
import * as ai from 'ai';
import * as aiSdkOllama from 'ai-sdk-ollama';
import * as ollama from 'ollama/browser';
import * as providerV2 from 'ollama-ai-provider-v2';
import { aiSdk } from '../families/ai-sdk.mjs';
import { langchainOllama } from '../families/langchain.mjs';
import { ollamaClient } from '../families/ollama.mjs';
import { tryTasks } from '../try-tasks.mjs';
import { modelsOf } from './models-of.mjs';

/** The name of the option for the address, and what of it the client wants. */
const at =
  (option, path = '') =>
  ({ address, fetch }) => ({ fetch, ...(address && { [option]: address + path }) });

const langchain = { ollama: langchainPackage, tool, agent: (model, tools) => createAgent({ model, tools }) };

const CLIENTS = {
  ollama: ollamaClient(ollama, at('host')),
  'ai-sdk-ollama': aiSdk(ai, aiSdkOllama, modelsOf(at('baseURL'))),
  'ollama-ai-provider-v2': aiSdk(ai, providerV2, modelsOf(at('baseURL', '/api'))),
  '@langchain/ollama': langchainOllama(langchain, at('baseUrl')),
};

/** Does these tasks with a client. Without an address the client takes its own. */
export const outcomes = (client, service, tasks) => tryTasks(CLIENTS[client](service), tasks);
