/** Which fields of a catalog entry belong together, by the compiler: each line below a comment must not compile. */
import { expect, it } from 'vitest';
import type { ModelEntry } from '../../../src/index.js';

const script = { replies: [{ text: 'Hello.' }] };

it('takes the fields of each backend', () => {
  const entries: ModelEntry[] = [
    { id: 'a', task: 'chat', backend: 'transformers', source: 'owner/name', device: 'webgpu', dtype: 'q4f16' },
    {
      id: 'b',
      task: 'speech-to-text',
      backend: 'transformers',
      dtype: { wasm: 'q8', webgpu: { decoder_model_merged: 'q4' } },
    },
    { id: 'c', task: 'chat', backend: 'web-llm', modelLibrary: '/lib.wasm', fallback: 'a' },
    { id: 'd', task: 'embeddings', backend: 'upstream', source: 'https://api.openai.com/v1', headers: {} },
    { id: 'e', task: 'chat', backend: 'scripted', script },
    { id: 'f', task: 'embeddings', backend: 'scripted' },
  ];
  // New precisions are only texts so far.
  const dtype: string = 'q3';
  entries.push({ id: 'g', task: 'chat', backend: 'transformers', dtype });
  expect(entries).toHaveLength(7);
});

it('refuses what a backend lacks, or cannot have', () => {
  const entries: ModelEntry[] = [
    // @ts-expect-error -- where is the service?
    { id: 'a', task: 'chat', backend: 'upstream' },
    // @ts-expect-error -- what does it say?
    { id: 'b', task: 'chat', backend: 'scripted' },
    // @ts-expect-error -- WebLLM has models of text only
    { id: 'c', task: 'speech-to-text', backend: 'web-llm' },
    // @ts-expect-error -- nothing is sent anywhere
    { id: 'd', task: 'chat', backend: 'transformers', headers: { authorization: 'Bearer x' } },
    // @ts-expect-error -- its weights are elsewhere
    { id: 'e', task: 'chat', backend: 'upstream', source: 'https://api.openai.com/v1', dtype: 'q4' },
    // @ts-expect-error -- it speaks for itself
    { id: 'f', task: 'chat', backend: 'transformers', script },
    // @ts-expect-error -- there is no such device
    { id: 'g', task: 'chat', backend: 'transformers', device: 'npu' },
    // @ts-expect-error -- ONNX graphs say themselves how they keep keys and values
    { id: 'h', task: 'chat', backend: 'transformers', kvCache: 'q8' },
  ];
  expect(entries).toHaveLength(8);
});
