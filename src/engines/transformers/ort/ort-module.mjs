/**
 * Stands in front of ONNX Runtime's own loader and is served beside it. It begins to compile the wasm as soon as it is
 * imported, while the model's files are still being fetched. It also gives the engine the wasm module, which the loader
 * hides. With it keys and values stay inside wasm memory between two runs.
 */
import createModule from './ort-wasm-simd-threaded.mjs';

const early = WebAssembly.compileStreaming(fetch(new URL('./ort-wasm-simd-threaded.wasm', import.meta.url)));
early.catch(() => {});

export default async function createSharedModule(config) {
  // What could not be compiled early is left to the loader, which also knows how to complain.
  const compiled = await early.catch(() => undefined);
  const module = await (compiled ? createCompiled(config, compiled) : createModule(config));
  globalThis[Symbol.for('inpage.onnx-runtime')] = { module };
  return module;
}

/** The loader waits for its hook's answer and would wait forever for a failure, so that is told past it. */
function createCompiled(config, compiled) {
  return new Promise((resolve, reject) => {
    const instantiateWasm = (imports, done) => {
      WebAssembly.instantiate(compiled, imports)
        .then((instance) => done(instance, compiled))
        .catch(reject);
      return {};
    };
    createModule({ ...config, instantiateWasm }).then(resolve, reject);
  });
}
