/** `npm run test:runners`: `inpage/test-server` in other test runners. Its results stand beside those of `npm test`. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  test: {
    name: 'runners',
    include: ['test/runners/*.manual.test.ts'],
    environment: 'node',
    // Nothing waits this long that passes; a busy machine may.
    testTimeout: 300_000,
    retry: 1,
    reporters: ['default', 'json'],
    outputFile: { json: 'test-results/runners.json' },
  },
});
