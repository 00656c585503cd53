import { expect, it } from 'vitest';
import { TENSOR_KINDS } from '../../../../src/engines/gguf/file/tensor-kinds.js';
import { planesOf } from '../../../../src/engines/gguf/webgpu/planes.js';
import { COMPARED_KINDS } from '../support/compared-models.js';

it.each(COMPARED_KINDS)('[W69] %s takes at most 2 % more on a GPU than in the file', (kind) => {
  const [rows, columns] = [512, 1024];
  const { values, bytes } = TENSOR_KINDS[kind];
  const inFile = ((rows * columns) / values) * bytes;
  const { bytes: placed } = planesOf(kind, rows, columns);
  expect(placed).toBeGreaterThanOrEqual(inFile);
  expect(placed).toBeLessThanOrEqual(1.02 * inFile);
});
