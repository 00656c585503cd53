import { expect, it } from 'vitest';
import { shortVectorsWarning } from '../../../src/language/embedding/cut-vectors.js';

it.each([
  ['onnx-community/Qwen3-Embedding-0.6B-ONNX', undefined],
  ['nomic-ai/nomic-embed-text-v1.5', undefined],
  ['Snowflake/snowflake-arctic-embed-l-v2.0', undefined],
  ['onnx-community/embeddinggemma-300m-ONNX', undefined],
  ['minishlab/potion-base-8M', undefined],
  ['/models/of-my-own', [64, 128, 256]],
])('%s may have its vectors cut', (name, stated) => {
  expect(shortVectorsWarning(name, stated)).toBeUndefined();
});

it.each([
  'Xenova/all-MiniLM-L6-v2',
  'Snowflake/snowflake-arctic-embed-s',
  'nomic-ai/nomic-embed-text-v1',
  '/models/mine',
])('%s warns, because nothing says that it was trained for that', (name) => {
  expect(shortVectorsWarning(name)).toMatch(/`dimensions`.*Matryoshka/);
});
