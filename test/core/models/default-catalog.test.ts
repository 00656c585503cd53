import { expect, it } from 'vitest';
import { DEFAULT_MODELS } from '../../../src/core/models/default-catalog.js';
import { INFERENCE_OPTIONS } from '../../../src/core/models/inference-options.js';
import { parseOptions } from '../../../src/core/models/option-schema.js';

const modelsOf = (models: object[]): readonly unknown[] => parseOptions(INFERENCE_OPTIONS, { models }).models;

it('an entry with the id of a bundled model needs no `source`', () => {
  for (const { id, task, backend, ...files } of DEFAULT_MODELS) {
    const mine = { id, task, backend, contextLength: 128, aliases: ['mine'] };
    expect(modelsOf([mine])).toEqual([{ ...files, ...mine }]);
  }
});

it('an entry that says where its files are, or is of another engine, is left as it is', () => {
  const entries = [
    { id: 'tiny-chat', task: 'chat', backend: 'gguf', source: 'mine/tiny-chat.gguf' },
    { id: 'tiny-embed', task: 'embeddings', backend: 'gguf', file: 'mine.gguf' },
    { id: 'tiny-whisper', task: 'speech-to-text', backend: 'scripted', script: { replies: [] } },
    { id: 'own/model', task: 'chat', backend: 'transformers' },
  ];
  expect(modelsOf(entries)).toEqual(entries);
});
