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
      const header = await files.readHead(file, (head) =>
        readGgufHeader((from, to) => head.read(from, to), file, head.size),
      );
      if (!header) throw new InferenceError('unavailable', `The file \`${file}\` does not exist. Check \`source\`.`);
      const planned = planTextModel(entry, header);
      await files.prepare([file]);
      return await assembleTextModel(entry, planned, files.stream(file, header.dataStart));
    } catch (thrown) {
      throw loadFailure(thrown, entry, options.signal);
    }
  },
};
