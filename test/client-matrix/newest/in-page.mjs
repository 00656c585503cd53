// The newest clients in a page, as one script for the tests. Each works with the `fetch` that it is given.
import * as ai from 'ai-7';
import { createOpenAI } from 'ai-7-openai';
import OpenAI from 'openai-7';
import { TypeSafeClient } from '@typesafe-ai/sdk';
import { aiSdk } from '../families/ai-sdk.mjs';
import { openaiChat } from '../families/openai.mjs';
import { CHAT, CHOICES, COMPLAINT, IS_ANGRY } from '../task.mjs';
import { tryTasks } from '../try-tasks.mjs';

export * as builtInAI from './built-in-ai.mjs';
export * as pageTools from './page-tools.mjs';

const model = (_, { baseURL, fetch }) => {
  const provider = createOpenAI({ fetch, apiKey: 'any', ...(baseURL && { baseURL }) });
  return { language: provider.responses(CHAT), decision: provider.decisionModel(CHAT) };
};

/** TypeSafe's client adds `/v1` to its address itself. */
const typesafe = ({ baseURL, fetch }) => {
  const client = new TypeSafeClient({
    fetch,
    apiKey: 'any',
    dangerouslyAllowBrowser: true,
    ...(baseURL && { baseURL }),
  });
  return {
    decisions: async () => {
      const { answers } = await client.systemOne({
        model: CHAT,
        state: COMPLAINT,
        questions: {
          angry: { type: 'noul', instructions: IS_ANGRY },
          feeling: { type: 'choice', criteria: CHOICES },
        },
      });
      return { probability: answers.angry.noul, choice: answers.feeling.choice };
    },
  };
};

const CLIENTS = { openai: openaiChat({ default: OpenAI }), ai: aiSdk(ai, undefined, model), typesafe };

/** Does these tasks with a client. Without an address the client takes its own. */
export const outcomes = (client, service, tasks) => tryTasks(CLIENTS[client](service), tasks);
