/** `npm run outside -- neighbours`: the documented set-ups beside other Service Workers, with the packages that bring them. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  test: {
    name: 'neighbours',
    include: ['test/neighbours/*.manual.test.ts'],
    exclude: ['test/neighbours/node_modules/**'],
    environment: 'node',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    fileParallelism: false,
  },
});
