/** The engine for GGUF files: kernels of our own, on WASM. @module */
import type { Backend } from '../../../core/models/backend.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { openModelFiles } from '../../../store/open-model-files.js';
import { filesFolderOf } from '../../../store/sources/hub.js';
import { loadFailure } from '../load-failure.js';
import { assembleTextModel, planTextModel } from './assemble-text-model.js';
import { readGgufHeader } from './header.js';

export const ggufBackend: Backend = {
  async load(entry, options) {
    try {
      const source = filesFolderOf(entry, options.pageURL, options.hub).replace(/\/$/, '');
      const cut = source.lastIndexOf('/') + 1;
      const [folder, file] = [source.slice(0, cut), source.slice(cut)];
      const files = await openModelFiles(entry, folder, options);
      const found = await files.read(file);
      if (!found) throw new InferenceError('unavailable', `The file \`${file}\` does not exist. Check \`source\`.`);
      const bytes = await found.bytes();
      const header = await readGgufHeader(async (from, to) => bytes.subarray(from, to), file, bytes.length);
      const planned = planTextModel(entry, header);
      options.onProgress({ model: entry.id, loadedBytes: 0, totalBytes: 0, stage: 'initialize' });
      return await assembleTextModel(entry, planned, pieces(bytes.subarray(header.dataStart)));
    } catch (thrown) {
      throw loadFailure(thrown, entry, options.signal);
    }
  },
};

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
