/** Real WebLLM in real Chromium: on the GPU where there is one, else on SwiftShader. See run.ts. */
import { playwright } from '@vitest/browser-playwright';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = process.env['INPAGE_WEBLLM_MODEL'];
const hardware = process.env['INPAGE_WEBLLM_HARDWARE'] === '1';
const executablePath = process.env['CHROMIUM'] ?? (existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : undefined);
const adapter = hardware ? [] : ['--use-webgpu-adapter=swiftshader'];
const HOUR = 3_600_000;

export default defineConfig({
  root,
  cacheDir: 'node_modules/.vite-web-llm',
  server: { fs: { allow: [root, ...(folder ? [resolve(folder)] : [])] } },
  optimizeDeps: {
    include: [
      '@huggingface/tokenizers',
      '@mlc-ai/web-llm',
      '@mlc-ai/web-xgrammar',
      '@cfworker/json-schema',
      'web-llm-0-2-79',
    ],
  },
  test: {
    name: 'web-llm',
    include: ['test/web-llm/**/*.gpu.test.ts'],
    provide: {
      webLlmModel: folder ? resolve(folder) : undefined,
      webLlmContract: process.env['INPAGE_WEBLLM_CONTRACT'] === '1',
    },
    // WebLLM leaves a buffer mapping unawaited; when a test takes the device away, that rejection has no owner.
    onUnhandledError: (error) => !/'mapAsync' on 'GPUBuffer'/.test(error.message),
    testTimeout: HOUR,
    hookTimeout: HOUR,
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({
        launchOptions: {
          ...(executablePath ? { executablePath } : {}),
          args: [
            '--no-sandbox',
            '--disable-background-networking',
            '--no-first-run',
            '--enable-unsafe-webgpu',
            '--enable-features=Vulkan',
            ...adapter,
          ],
        },
      }),
      instances: [{ browser: 'chromium' }],
    },
  },
});

declare module 'vitest' {
  interface ProvidedContext {
    /** Absolute path of a model folder; undefined: nothing to test. */
    webLlmModel: string | undefined;
    /** Run the contract suite on SwiftShader too: an hour or more. */
    webLlmContract: boolean;
  }
}
