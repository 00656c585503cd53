import { expect, it } from 'vitest';
import { createModelStore } from '../../src/page/manage-models.js';

const store = createModelStore(
  { download: async () => {}, unload: async () => {} },
  {
    models: [
      {
        id: 'replies',
        task: 'chat',
        backend: 'scripted',
        aliases: ['other-name'],
        script: { replies: [{ text: 'Hi' }] },
      },
      { id: 'm', task: 'chat', backend: 'gguf', source: '/models/m.gguf' },
    ],
    load: { pageURL: 'https://app.test/' },
  },
);
const files = [new File(['GGUF'], 'm.gguf')];

it.each(['replies', 'other-name'])('files for %s, whose backend uses none, are refused', async (model) => {
  await expect(store.importModel(model, files)).rejects.toMatchObject({
    code: 'invalid_request',
    param: 'model',
    message: `The model \`${model}\` has the backend \`scripted\`, which uses no files. Only models with the backends \`gguf\`, \`transformers\` and \`web-llm\` can be imported.`,
  });
});

it('files for a model that consists of files are passed on', async () => {
  await expect(store.importModel('m', files)).resolves.toBeUndefined();
});
