import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withoutFlashAttention } from '../../../.ci/onnx-runtime.js';

const DISTRIBUTION = new URL('../../../node_modules/onnxruntime-web/dist/', import.meta.url);

describe("ONNX Runtime's loaders", () => {
  it.each(['ort-wasm-simd-threaded.mjs', 'ort-wasm-simd-threaded.asyncify.mjs'])(
    '%s is served with slow attention switched off',
    (file) => {
      const code = readFileSync(new URL(file, DISTRIBUTION), 'utf8');
      const served = withoutFlashAttention(code);
      expect(served.split('ORT_GQA_DISABLE_FLASH_ATTENTION:"1",USER:"web_user"')).toHaveLength(2);
      expect(served.replace('ORT_GQA_DISABLE_FLASH_ATTENTION:"1",', '')).toBe(code);
    },
  );

  it.each(['', 'a={USER:"web_user"};b={USER:"web_user"}'])(
    'fails the build for a loader that it does not know: %o',
    (code) => {
      expect(() => withoutFlashAttention(code)).toThrow(/exactly one is needed/);
    },
  );
});
