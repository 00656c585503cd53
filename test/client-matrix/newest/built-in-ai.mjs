// Released providers of the AI SDK for Chrome's `LanguageModel`, in a page that has it, from wherever.
import * as browserAI from '@browser-ai/core';
import * as builtInAI from '@built-in-ai/core';
import { generateObject, generateText, jsonSchema, streamText } from 'ai';
import { collect } from '../task.mjs';

const PROVIDERS = {
  '@browser-ai/core': () => browserAI.browserAI(),
  '@built-in-ai/core': () => builtInAI.builtInAI(),
};

const QUESTION = 'What is the capital of France?';
const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string', enum: ['Paris', 'Rome'] } },
  required: ['city'],
  additionalProperties: false,
};

/** What a provider does: a load that is watched, a text, a stream, an object. */
export async function tryProvider(name) {
  const model = PROVIDERS[name]();
  const before = await model.availability();
  const progress = [];
  await model.createSessionWithProgress((loaded) => progress.push(loaded));
  const options = { model, maxRetries: 0 };
  const { text } = await generateText({ ...options, prompt: QUESTION });
  const streamed = await collect(streamText({ ...options, prompt: QUESTION }).textStream);
  const { object } = await generateObject({ ...options, schema: jsonSchema(SCHEMA), prompt: QUESTION });
  return { before, progress, after: await model.availability(), text, streamed, object };
}
