/** How `inpage/test-server` is built: its handle, its thread, which needs a file of its own, and what an app's own server loads. */
import { join } from 'node:path';
import type { EnvironmentOptions, Plugin } from 'vite';
import { inOneFileEach } from './in-one-file-each.js';

const path = (relative: string): string => join(import.meta.dirname, '..', relative);

const HANDLE = { 'test-server': path('src/testing/test-server/index.ts') };
const REGISTER = { 'test-server-register': path('src/testing/test-server/register.ts') };
const WORKER_SOURCE = 'src/testing/test-server/test-server-worker.ts';
const WORKER = { 'test-server-worker': path(WORKER_SOURCE) };

/** @param format `cjs` for Jest, which knows no other without a flag of Node */
export function nodeFiles(entry: Record<string, string>, format: 'es' | 'cjs'): EnvironmentOptions {
  return {
    consumer: 'server',
    // The package has no dependencies.
    resolve: { noExternal: true },
    build: {
      target: 'node20',
      minify: format === 'es' && 'test-server-worker' in entry,
      ssr: true,
      lib: { entry, formats: [format] },
      rolldownOptions: {
        external: [/^node:/],
        output: { chunkFileNames: 'test-server/[name]-[hash].js' },
      },
    },
  };
}

/** By the names of their environments. */
export const TEST_SERVER_ENVIRONMENTS = {
  testServer: nodeFiles(HANDLE, 'es'),
  testServerRequired: nodeFiles(HANDLE, 'cjs'),
  testServerWorker: nodeFiles(WORKER, 'es'),
  testServerRegister: nodeFiles(REGISTER, 'es'),
} as const;

/** The thread starts with two files; what few requests need stays apart. */
export function testServerThread(): Plugin {
  return {
    ...inOneFileEach(['start'], (withImports) => ({
      start: new Set([...withImports(WORKER_SOURCE)].filter((id) => id !== path(WORKER_SOURCE))),
    })),
    applyToEnvironment: ({ name }) => name === ('testServerWorker' satisfies keyof typeof TEST_SERVER_ENVIRONMENTS),
  };
}
