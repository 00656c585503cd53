/** What the service answers to the programs: the same as to those of JavaScript, and more where one needs it. @module */
import type { ServeOptions } from '../../src/serve/serve-inference.js';
import { ANSWER, CHAT, EMBEDDER, LISTENER, OBJECT, RANKER, SPOKEN, TEXT } from '../client-matrix/task.mjs';

/** Tools by whose names programs ask for an object. */
const OBJECT_TOOLS = ['Place', 'final_result'];

/** @param programs each has one failure before its answer to its own words */
export function servedModels(programs: readonly string[]): ServeOptions {
  const replies = [
    ...programs.map((program) => ({
      match: `Once more, ${program}.`,
      times: 1,
      error: { status: 503 as const, retryAfter: 1 },
    })),
    // The agents of smolagents end with a call, too.
    {
      match: { any: ['[smolagents]', 'rainy in Rome'] },
      toolCalls: [{ name: 'final_answer', arguments: { answer: ANSWER } }],
    },
    // Semantic Kernel puts the plugin's name before the tool's.
    {
      match: { last: 'weather', tool: 'get-weather' },
      toolCalls: [{ name: 'get-weather', arguments: { city: 'Paris' } }],
    },
    {
      match: { last: 'sunny in Paris', tool: 'get-weather' },
      toolCalls: [{ name: 'get-weather', arguments: { city: 'Rome' } }],
    },
    { match: 'rainy in Rome', text: ANSWER },
    { match: 'sunny in Paris', toolCalls: [{ name: 'get_weather', arguments: { city: 'Rome' } }] },
    { match: 'weather', text: 'Let me look.', toolCalls: [{ name: 'get_weather', arguments: { city: 'Paris' } }] },
    ...OBJECT_TOOLS.map((name) => ({
      match: `[${name}]`,
      text: JSON.stringify(OBJECT),
      toolCalls: [{ name, arguments: OBJECT }],
    })),
    // aider's form of a whole file.
    { match: '[aider]', text: `made.txt\n\`\`\`\n${TEXT}\n\`\`\`` },
    { text: TEXT },
  ];
  return {
    models: [
      // Its weights are part of the package. First: who asks for tokens alone may name no model.
      { id: 'tiny-chat', task: 'chat', backend: 'gguf' },
      { id: CHAT, task: 'chat', backend: 'scripted', contextLength: 32_768, script: { replies } },
      // The one model that `auto-commit-ollama` asks for.
      { id: 'qwen2.5:3b', task: 'chat', backend: 'scripted', script: { replies: [{ text: TEXT }] } },
      { id: EMBEDDER, task: 'embeddings', backend: 'scripted', script: { replies: [] } },
      { id: RANKER, task: 'rerank', backend: 'scripted', script: { replies: [] } },
      { id: LISTENER, task: 'speech-to-text', backend: 'scripted', script: { replies: [{ text: SPOKEN }] } },
    ],
  };
}
