/** Tests in installed browsers that are not Chromium; see other-browsers.manual.test.ts. Needs a built demo. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  test: {
    name: 'browsers',
    globalSetup: ['test/e2e/support/serve-demo.ts'],
    include: ['test/browsers/**/*.manual.test.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
