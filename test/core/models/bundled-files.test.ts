import { expect, it } from 'vitest';
import { checkBundledFiles } from '../../../src/core/models/bundled-files.js';
import { DEFAULT_MODELS } from '../../../src/core/models/default-catalog.js';
import { INFERENCE_OPTIONS } from '../../../src/core/models/inference-options.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { parseOptions } from '../../../src/core/models/option-schema.js';

const modelsOf = (models: object[]): readonly ModelEntry[] => parseOptions(INFERENCE_OPTIONS, { models }).models;

it('an entry with the id of a bundled model needs no `source`', () => {
  for (const { id, task, backend, ...files } of DEFAULT_MODELS) {
    const mine = { id, task, backend, contextLength: 128, aliases: ['mine'] };
    expect(modelsOf([mine])).toEqual([{ ...files, ...mine }]);
    expect(modelsOf([{ ...mine, source: undefined }])).toEqual([{ ...files, ...mine }]);
  }
});

it('an entry that says where its files are, or reads no files, is left as it is', () => {
  const entries = [
    { id: 'tiny-chat', task: 'chat', backend: 'gguf', source: 'mine/tiny-chat.gguf' },
    { id: 'tiny-embed', task: 'embeddings', backend: 'gguf', file: 'mine.gguf' },
    { id: 'tiny-whisper', task: 'speech-to-text', backend: 'scripted', script: { replies: [] } },
    { id: 'own/model', task: 'chat', backend: 'transformers' },
  ];
  const models = modelsOf(entries);
  expect(models).toEqual(entries);
  expect(() => checkBundledFiles(models)).not.toThrow();
});

it.each([
  ['tiny-embed', 'embeddings', 'gguf', 'is of task embeddings, for backend transformers.'],
  ['tiny-whisper', 'chat', 'transformers', 'is of task speech-to-text, for backend transformers.'],
  ['tiny-chat', 'embeddings', 'transformers', 'is of task chat, for backend gguf.'],
  ['tiny-chat', 'chat', 'transformers', 'is of task chat, for backend gguf.'],
])('%s for %s on %s has no files, and is refused by name', (id, task, backend, files) => {
  const own = { id: 'own/model', task: 'chat', backend: 'transformers' };
  const refusal = expect.objectContaining({
    code: 'invalid_request',
    param: 'models.1.source',
    message: expect.stringContaining(`the bundled \`${id}\` ${files}`) as string,
  }) as Error;
  expect(() => checkBundledFiles(modelsOf([own, { id, task, backend }]))).toThrow(refusal);
});
