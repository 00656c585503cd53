import { afterEach, beforeAll, expect, it, vi } from 'vitest';

/** The page keeps its hub there. */
beforeAll(() => vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {} }));
afterEach(() => vi.unstubAllGlobals());

function answerWith(tree: object[], status = 200): void {
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {} });
  vi.stubGlobal('fetch', async (url: URL) =>
    Response.json(url.pathname.includes('/tree/') ? tree : { pipeline_tag: 'text-generation' }, { status }),
  );
}

it('a repository of GGUF files is a model with a file to choose', async () => {
  answerWith([
    { type: 'file', path: 'Tiny-Q8_0.gguf', size: 800 },
    { type: 'file', path: 'Tiny-Q4_K_M.gguf', size: 400 },
    { type: 'file', path: 'mmproj-F16.gguf', size: 100 },
    { type: 'file', path: 'Big-00001-of-00002.gguf', size: 100 },
  ]);
  const { entryOf, lookUp } = await import('../../../demo/models/hub-lookup.js');
  const model = await lookUp('owner/Tiny-GGUF');
  expect(model.variants).toEqual([
    { dtype: 'Tiny-Q4_K_M.gguf', bytes: 400 },
    { dtype: 'Tiny-Q8_0.gguf', bytes: 800 },
  ]);
  const common = { id: 'Tiny-GGUF', task: 'chat', backend: 'gguf', source: 'owner/Tiny-GGUF', ownedBy: 'owner' };
  expect(entryOf(model, '')).toEqual(common);
  expect(entryOf(model, 'Tiny-Q8_0.gguf')).toEqual({ ...common, file: 'Tiny-Q8_0.gguf' });
});

it.each([
  [401, 'has no public model "owner/gone". Check how it is spelt.'],
  [404, 'has no public model "owner/gone". Check how it is spelt.'],
  [403, 'wants you to accept its license first.'],
  [429, 'has too many requests now. Try again in a few minutes.'],
  [503, 'has a problem of its own now (503). Try again later.'],
])('a hub that answers %i is told in plain words', async (status, words) => {
  answerWith([], status);
  const { lookUp } = await import('../../../demo/models/hub-lookup.js');
  await expect(lookUp('owner/gone')).rejects.toThrow(words);
});

it('a repository without files for an engine says where to look', async () => {
  answerWith([{ type: 'file', path: 'model.safetensors', size: 9 }]);
  const { lookUp } = await import('../../../demo/models/hub-lookup.js');
  await expect(lookUp('owner/raw')).rejects.toThrow('with "GGUF" or "ONNX" in its name');
});
