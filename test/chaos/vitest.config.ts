/** `npm run test:long`: the chaos tests in their long form, what only runs so, and downloads of 500 MB, an hour on a machine that does nothing else. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  test: {
    name: 'long',
    globalSetup: ['test/e2e/support/serve-demo.ts'],
    include: ['test/{chaos,extension}/*.long.test.ts', 'test/chaos/*.e2e.test.ts', 'test/e2e/model-store.e2e.test.ts'],
    environment: 'node',
    env: { INPAGE_CHAOS_ROUNDS: '30', STORE_MB: '500' },
    testTimeout: 600_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    fileParallelism: false,
  },
});
