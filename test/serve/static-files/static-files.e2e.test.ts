import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { execFileSync } from 'node:child_process';
import { afterAll, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'inpage-init-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('`inpage init` copies all that a page asks for, subfolders too', () => {
  const output = execFileSync(process.execPath, [join(root, 'dist/cli.js'), 'init', folder], { encoding: 'utf8' });
  const copied = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  expect(output).toContain(`to ${folder}`);
  expect(copied).toEqual(
    expect.arrayContaining([
      'inpage-sw.js',
      'inpage-sw-isolated.js',
      'inpage/ort-wasm-simd-threaded.wasm',
      'inpage/ort-wasm-simd-threaded.mjs',
      'models/tiny-embed/tokenizer.json',
      'models/tiny-chat/tiny-chat-Q8_0.gguf',
      'models/tiny-embed/onnx/model_quantized.onnx',
      'models/tiny-whisper/onnx/encoder_model_quantized.onnx',
    ]),
  );
  // Test data, which the package lacks.
  expect(copied).not.toContain('models/tiny-chat/onnx');
});

it.each(['../../../etc', 'tiny-chat/..', 'nobody', '.'])('`inpage init` copies bundled models only, not %s', (name) => {
  expect(() =>
    execFileSync(process.execPath, [join(root, 'dist/cli.js'), 'init', folder, '--models', name], { stdio: 'pipe' }),
  ).toThrow(/There is no bundled model/);
});

it('the package holds every file that its exports name', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: object };
  const files = JSON.stringify(exports).match(/(?<=")\.\/dist\/[^"]+/g) ?? [];
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

it('[W72] the code of WebGPU has files of its own, of at most 40 kB in all', () => {
  const chunks = join(root, 'dist/chunks');
  const files = readdirSync(chunks).filter((name) => name.startsWith('gguf-webgpu'));
  const bytes = files.reduce((sum, name) => sum + gzipSync(readFileSync(join(chunks, name)), { level: 9 }).length, 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(40_000);
});
