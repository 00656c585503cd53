/** What `npm run test:clients` does in a browser, with the packages that it installs. Its results stand beside those of `npm test`. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  test: {
    name: 'clients',
    include: ['test/client-matrix/*.manual.test.ts'],
    globalSetup: ['test/e2e/support/serve-demo.ts', 'test/e2e/support/start-shared-chromium.ts'],
    environment: 'node',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    // As in `npm run test:built`.
    retry: 1,
    fileParallelism: false,
    isolate: false,
    reporters: ['default', 'json'],
    outputFile: { json: 'test-results/clients.json' },
  },
});
