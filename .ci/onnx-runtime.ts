/** ONNX Runtime's own files as an app serves them beside its pages: for the build, and for tests in the browser. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const DISTRIBUTION = join(import.meta.dirname, '../node_modules/onnxruntime-web/dist');
const WRAPPER = join(import.meta.dirname, '../src/engines/transformers/ort/ort-module.mjs');
const WANTED = /^ort-wasm-simd-threaded(\.asyncify)?\.(mjs|wasm)$/;

/** Where Emscripten's loader lists the variables of the environment that the compiled program starts with. */
const ENVIRONMENT = 'USER:"web_user"';

/**
 * The loader with one more variable in the environment of ONNX Runtime's CPU kernels. Their "flash" form of grouped
 * attention reads a prompt several times slower in WASM than the plain one; only this variable switches it off.
 * @param code of a loader (`.mjs`)
 * @throws when the loader does not have the one place that is changed: then another release needs another look
 */
export function withoutFlashAttention(code: string): string {
  const parts = code.split(ENVIRONMENT);
  if (parts.length !== 2) {
    throw new Error(
      `ONNX Runtime's loader has ${parts.length - 1} places with ${ENVIRONMENT}, and exactly one is needed.`,
    );
  }
  return parts.join(`ORT_GQA_DISABLE_FLASH_ATTENTION:"1",${ENVIRONMENT}`);
}

/** Name to content of every file, `ort-module.mjs` among them. */
function* runtimeFiles(): Generator<{ name: string; path: string; code?: string }> {
  for (const name of readdirSync(DISTRIBUTION)) {
    if (!WANTED.test(name)) continue;
    const path = join(DISTRIBUTION, name);
    yield name.endsWith('.mjs')
      ? { name, path, code: withoutFlashAttention(readFileSync(path, 'utf8')) }
      : { name, path };
  }
  yield { name: 'ort-module.mjs', path: WRAPPER };
}

/** Puts the files into a folder of the build (see `src/serve/static-files/`). */
export function copyOnnxRuntime(folder: string): Plugin {
  return {
    name: 'inpage:copy-onnx-runtime',
    closeBundle() {
      mkdirSync(folder, { recursive: true });
      for (const { name, path, code } of runtimeFiles()) {
        if (code === undefined) cpSync(path, join(folder, name));
        else writeFileSync(join(folder, name), code);
      }
    },
  };
}

/**
 * Serves the files below `/inpage/`, and once more without `ort-module.mjs` below `/inpage-plain/`, as an app has them
 * that left it out.
 */
export function serveOnnxRuntime(): Plugin {
  return {
    name: 'inpage:serve-onnx-runtime',
    configureServer(server) {
      const files = new Map([...runtimeFiles()].map((file) => [file.name, file]));
      server.middlewares.use((request, response, next) => {
        const [, folder, name] = /^\/(inpage|inpage-plain)\/([\w.-]+)$/.exec(request.url?.split('?')[0] ?? '') ?? [];
        const file = files.get(name ?? '');
        if (!file || (folder === 'inpage-plain' && name === 'ort-module.mjs')) return next();
        const type = file.name.endsWith('.wasm') ? 'application/wasm' : 'text/javascript';
        response.setHeader('content-type', type);
        response.setHeader('cross-origin-resource-policy', 'same-origin');
        response.end(file.code ?? readFileSync(file.path));
      });
    },
  };
}
