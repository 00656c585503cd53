/**
 * ONNX Runtime's loader in Node, which hands its wasm module on as `ort-module.mjs` does in a page. The search part of this
 * module's URL names the loader's file.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const folder = dirname(createRequire(import.meta.url).resolve('onnxruntime-web'));
const { default: createModule } = await import(new URL(import.meta.url).searchParams.get('loader'));

export default async function createSharedModule(config) {
  const module = await createModule({ ...config, locateFile: (name) => join(folder, name) });
  globalThis[Symbol.for('inpage.onnx-runtime')] = { module };
  return module;
}
