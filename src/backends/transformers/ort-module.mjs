/**
 * Stands in front of ONNX Runtime's own loader, is served beside it, and hands the engine what the loader hides: the wasm
 * module and the session that was made last. With them keys and values stay inside wasm memory between two runs.
 */
import createModule from './ort-wasm-simd-threaded.mjs';

export default async function createSharedModule(config) {
  const module = await createModule(config);
  const runtime = { module, lastSession: 0 };
  const createSession = module._OrtCreateSession;
  module._OrtCreateSession = (...settings) => {
    runtime.lastSession = createSession(...settings);
    return runtime.lastSession;
  };
  globalThis[Symbol.for('inpage.onnx-runtime')] = runtime;
  return module;
}
