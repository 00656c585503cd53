import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BUNDLED_SIZES } from '../../../src/core/models/bundled-sizes.js';

const models = join(import.meta.dirname, '../../../public/models');

it('[I03] the sizes of bundled models are those of their files', () => {
  const measured = Object.entries(BUNDLED_SIZES).map(([model, files]) => [
    model,
    Object.fromEntries(Object.keys(files).map((file) => [file, statSync(join(models, model, file)).size])),
  ]);
  expect(Object.fromEntries(measured)).toEqual(BUNDLED_SIZES);
});
