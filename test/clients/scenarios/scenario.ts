/** What official clients do with the service, written once for Node and for real browsers. */
import type { TypedModelEntry } from '../../../src/core/models/model-entry.js';

/** Where the service is. */
export interface Connection {
  fetch: typeof globalThis.fetch;
  /** Ends with `/v1`. */
  baseURL: string;
}

/** `run` gives plain data, which must match `expected` (as `toMatchObject` means it). */
export interface Scenario {
  name: string;
  run: (connection: Connection) => Promise<unknown>;
  expected: unknown;
}

export const CHAT = 'scripted-chat';
export const EMBEDDER = 'scripted-embed';
export const SPEAKER = 'scripted-voice';
export const TEXT = 'The quick brown fox jumps over the lazy dog.';
export const REASONING = 'Let me think about foxes.';
export const ANSWER = 'It is sunny in Paris.';
export const OBJECT = { city: 'Paris', days: 2 };

/** The catalog that all scenarios need. Plain data, so it fits into the hash of a host page. */
export const SCENARIO_MODELS: TypedModelEntry[] = [
  {
    id: CHAT,
    task: 'chat',
    backend: 'scripted',
    contextLength: 8192,
    script: {
      replies: [
        { match: 'weather', text: 'Let me look.', toolCalls: [{ name: 'get_weather', arguments: { city: 'Paris' } }] },
        { match: 'sunny', text: ANSWER },
        // The second form is for clients that ask for an object by way of a tool.
        { match: 'object', text: JSON.stringify(OBJECT) },
        { match: 'called', toolCalls: [{ name: 'json', arguments: OBJECT }] },
        { text: TEXT, reasoning: REASONING },
      ],
    },
  },
  { id: 'broken', task: 'chat', backend: 'scripted', script: { replies: [], failWith: 'internal' } },
  { id: 'gone', task: 'chat', backend: 'scripted', status: 'removed', script: { replies: [] } },
  { id: EMBEDDER, task: 'embeddings', backend: 'scripted', script: { replies: [] } },
  { id: SPEAKER, task: 'text-to-speech', backend: 'scripted' },
];

/** JSON Schema of the one tool, which tells the weather. */
export const WEATHER_SCHEMA = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
  additionalProperties: false,
};

/** The class, status and message-free facts of what a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<{ name: string; status: unknown; type: unknown }> {
  try {
    await promise;
  } catch (thrown) {
    const error = thrown as { constructor: { name: string }; status?: unknown; type?: unknown };
    // Bundlers number classes of one name.
    return { name: error.constructor.name.replace(/\$\d+$/, ''), status: error.status, type: error.type };
  }
  throw new Error('The call was expected to fail.');
}
