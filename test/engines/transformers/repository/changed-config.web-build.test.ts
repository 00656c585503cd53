import { afterEach, expect, it, vi } from 'vitest';
import { loadTextModel } from '../../../../src/engines/transformers/text/load-text-model.js';
import { CLASS_CASES } from '../classes/decoder-forms.js';
import { madeModel } from '../classes/made-model.js';
import { LOAD, modelServer } from '../support/web-build.js';

afterEach(() => void vi.unstubAllGlobals());

const SOURCE = 'http://localhost/models/changed';
const ENTRY = { id: 'changed', task: 'chat', backend: 'transformers', source: SOURCE, device: 'wasm' } as const;

it('a model is loaded by the config that its folder has now, not by the one that it had before', async () => {
  const right = Object.fromEntries(madeModel(CLASS_CASES[0]!)) as Record<string, unknown>;
  const config = JSON.parse(new TextDecoder().decode(right['config.json'] as Uint8Array)) as object;
  const wrong = { ...right, 'config.json': { ...config, architectures: ['T5ForConditionalGeneration'] } };
  vi.stubGlobal('fetch', modelServer({ changed: wrong }).fetch);
  const refused = loadTextModel({ ...ENTRY, dtype: 'fp32' }, LOAD);
  await expect(refused).rejects.toThrow(/consists of 2 ONNX graphs/);

  vi.stubGlobal('fetch', modelServer({ changed: right }).fetch);
  const model = await loadTextModel({ ...ENTRY, dtype: 'fp32' }, LOAD);
  expect(model.info).toMatchObject({ device: 'wasm' });
  await model.unload();
});
