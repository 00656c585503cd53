import { afterEach, expect, it, vi } from 'vitest';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { firstStored } from '../../../src/engines/common/first-stored.js';

const stored = vi.hoisted(() => ({ files: new Map<string, string[]>(), asked: [] as string[] }));
vi.mock('../../../src/store/open-model-files.js', () => ({
  openModelFiles: async (_entry: unknown, folder: string) => {
    stored.asked.push(folder);
    if (folder.includes('broken')) throw new Error('The disk is broken.');
    const names = stored.files.get(folder) ?? [];
    return { isStored: async (file: string) => names.includes(file), stored: async () => names };
  },
}));

afterEach(() => {
  stored.files.clear();
  stored.asked = [];
});

const onnx = (id: string): ModelEntry => ({ id, task: 'chat', backend: 'transformers', source: `/models/${id}` });
const gguf = (id: string): ModelEntry => ({ id, task: 'chat', backend: 'gguf', source: `/models/${id}/${id}.gguf` });
const options = { assetsURL: 'data:text/javascript,none/', pageURL: 'http://localhost/' };

it('is the first model that is on the device', async () => {
  stored.files.set('http://localhost/models/b/', ['config.json']).set('http://localhost/models/c/', ['c.gguf']);
  expect((await firstStored([onnx('a'), onnx('b'), gguf('c')], options))?.id).toBe('b');
  expect((await firstStored([onnx('a'), gguf('c'), onnx('b')], options))?.id).toBe('c');
  // A folder can hold a model in several forms.
  expect(await firstStored([gguf('b'), onnx('c')], options)).toBeUndefined();
});

it('is none when no model was ever fetched, or the disk does not say', async () => {
  expect(await firstStored([onnx('a'), onnx('broken'), gguf('broken')], options)).toBeUndefined();
  expect(stored.asked).toHaveLength(3);
});
