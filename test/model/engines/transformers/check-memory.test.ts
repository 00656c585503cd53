import { expect, it } from 'vitest';
import { checkMemory } from '../../../../src/model/engines/transformers/choose-device.js';

const entry = { id: 'large', task: 'chat', backend: 'transformers' } as const;

it('refuses weights that WASM cannot address, and says so', () => {
  expect(() => checkMemory(entry, 5 * 2 ** 30)).toThrow(
    expect.objectContaining({
      code: 'insufficient_resources',
      message: expect.stringContaining('5.0 GB') as string,
      details: { param: 'model', neededBytes: 5 * 2 ** 30 },
    }) as Error,
  );
  expect(() => checkMemory(entry, 2 ** 30)).not.toThrow();
});
