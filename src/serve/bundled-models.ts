/** The bundled models' files, where an entry without a `source` of another server looks for them. @module */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BUNDLED_MODELS, listStaticFiles, sendFile } from './static-files/static-files.js';
import type { ServedFiles } from './served-files.js';

/** See the module. */
export class BundledModels implements ServedFiles {
  readonly #files = new Map(
    [...listStaticFiles({ models: BUNDLED_MODELS, webgpu: false, onnxRuntime: false })].filter(([path]) =>
      path.startsWith('/models/'),
    ),
  );

  async send(path: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const file = this.#files.get(path);
    if (file) await sendFile(file.path, request, response);
    return file !== undefined;
  }
}
