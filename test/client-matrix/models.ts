/** The scripted models that every client of the matrix is tried with. @module */
import type { ModelEntry } from '../../src/index.js';
import {
  ANSWER,
  CHAT,
  COMPLAINT,
  EMBEDDER,
  LISTENER,
  OBJECT,
  OBJECT_TOOLS,
  onceMore,
  RANKER,
  SPOKEN,
  TEXT,
  WEIGHTS,
} from './task.mjs';

/** @param clients those whose first request of {@link onceMore} is answered by 503 */
export const matrixModels = (clients: readonly string[]): ModelEntry[] => [
  {
    id: CHAT,
    task: 'chat',
    backend: 'scripted',
    contextLength: 32_768,
    script: {
      replies: [
        ...clients.map((client) => ({
          match: onceMore(client),
          times: 1,
          error: { status: 503 as const, retryAfter: 1 },
        })),
        { match: COMPLAINT, scores: WEIGHTS },
        { match: 'sunny in Paris', toolCalls: [{ name: 'get_weather', arguments: { city: 'Rome' } }] },
        { match: 'rainy in Rome', text: ANSWER },
        // Behind the user's message there may be one of the system.
        {
          match: { user: 'weather' },
          text: 'Let me look.',
          toolCalls: [{ name: 'get_weather', arguments: { city: 'Paris' } }],
        },
        ...OBJECT_TOOLS.map((name: string) => ({
          match: { user: `[${name}]` },
          text: JSON.stringify(OBJECT),
          toolCalls: [{ name, arguments: OBJECT }],
        })),
        // Clients that know nothing of the model describe the object in words.
        { match: 'conform to the following schema', text: JSON.stringify(OBJECT) },
        { text: TEXT },
      ],
    },
  },
  { id: EMBEDDER, task: 'embeddings', backend: 'scripted', script: { replies: [] } },
  { id: RANKER, task: 'rerank', backend: 'scripted', script: { replies: [] } },
  { id: LISTENER, task: 'speech-to-text', backend: 'scripted', script: { replies: [{ text: SPOKEN }] } },
];
