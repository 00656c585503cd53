import { afterEach, vi } from 'vitest';
import { loadTextModel } from '../../../../src/engines/transformers/text/load-text-model.js';
import { drawFlat } from '../support/flat-pictures.js';
import { LOAD, modelServer } from '../support/web-build.js';
import { CLASS_CASES } from './decoder-forms.js';
import { describeDecoders, type Realm } from './describe-decoders.js';

afterEach(() => void vi.unstubAllGlobals());

const load: Realm['load'] = async (name, files) => {
  vi.stubGlobal('fetch', modelServer({ [name]: Object.fromEntries(files) }).fetch);
  const source = `http://localhost/models/${name}`;
  const entry = { id: name, task: 'chat', backend: 'transformers', source, device: 'wasm', dtype: 'fp32' } as const;
  return loadTextModel(entry, LOAD);
};
describeDecoders({ load, draw: async (picture) => drawFlat(picture), classes: CLASS_CASES, count: 4 });
