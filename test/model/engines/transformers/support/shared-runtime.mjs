/** ONNX Runtime's own loader in Node, which hands its wasm module on as `ort-module.mjs` does in a page. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = dirname(createRequire(import.meta.url).resolve('onnxruntime-web'));
const { default: createModule } = await import(pathToFileURL(join(folder, 'ort-wasm-simd-threaded.mjs')).href);

export default async function createSharedModule(config) {
  const module = await createModule({ ...config, locateFile: (name) => join(folder, name) });
  globalThis[Symbol.for('inpage.onnx-runtime')] = { module };
  return module;
}
