/** Vitest's projects by suffix, the dev server and the demo build. The library build lives in `vite.library.ts` settings below. */
import { playwright } from '@vitest/browser-playwright';
import { existsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

/** Debian's Chromium when it is there, else playwright's own browser. */
const executablePath = process.env.CHROMIUM ?? (existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : undefined);

const chromium = (extra: string[] = []) =>
  playwright({
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      args: ['--no-sandbox', '--disable-background-networking', '--no-first-run', ...extra],
    },
  });

/** WebGPU on the CPU: slow but true. */
const SWIFTSHADER = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'];

export default defineConfig({
  worker: { format: 'es' },
  optimizeDeps: { exclude: ['@huggingface/transformers'] },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.{browser,e2e,gpu}.test.ts'],
          environment: 'node',
          testTimeout: 20_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/**/*.browser.test.ts'],
          testTimeout: 120_000,
          fileParallelism: false,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: chromium(SWIFTSHADER),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/**/*.e2e.test.ts'],
          environment: 'node',
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          globalSetup: ['test/e2e/support/serve-demo.ts'],
        },
      },
    ],
  },
});
