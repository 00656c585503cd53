import { expect, it } from 'vitest';
import { diagnose, recommendedModels, startInference } from '../../src/index.js';

it.each([
  ['startInference', startInference],
  ['diagnose', diagnose],
])('%s is a typed error where a server renders', async (name, call) => {
  await expect(call()).rejects.toMatchObject({
    name: 'InferenceError',
    code: 'unavailable',
    message: expect.stringContaining(`\`${name}\` was called where there is no page`) as string,
  });
});

it('what asks no page works there', async () => {
  expect(await recommendedModels({ task: 'chat' })).not.toHaveLength(0);
});
