// Clients of the matrix in a page, as one script for end-to-end tests. Each works with the `fetch` that it is given.
import { createOpenAI } from '@ai-sdk/openai';
import * as ai from 'ai';
import * as ollama from 'ollama/browser';
import OpenAI from 'openai';
import { aiSdk } from './families/ai-sdk.mjs';
import { ollamaClient } from './families/ollama.mjs';
import { openaiChat } from './families/openai.mjs';
import { CHAT, TASKS } from './task.mjs';

const model = (_, { baseURL, fetch }) => {
  const provider = createOpenAI({ fetch, apiKey: 'any', ...(baseURL && { baseURL }) });
  return { language: provider.responses(CHAT) };
};

const CLIENTS = {
  openai: openaiChat({ default: OpenAI }),
  ai: aiSdk(ai, undefined, model),
  ollama: ollamaClient(ollama, ({ host, fetch }) => ({ fetch, ...(host && { host }) })),
};

/**
 * Does these tasks with a client. Without an address the client takes its own.
 * @returns of each task `true`, or what came instead
 */
export async function outcomes(client, service, tasks) {
  const made = CLIENTS[client](service);
  const outcome = {};
  for (const task of tasks) {
    try {
      const result = await made[task]();
      outcome[task] = TASKS[task].isRight(result) || JSON.stringify(result);
    } catch (thrown) {
      outcome[task] = String(thrown?.stack ?? thrown);
    }
  }
  return outcome;
}
