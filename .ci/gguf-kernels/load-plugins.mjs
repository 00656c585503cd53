import { join } from 'node:path';
import { loadConfigFromFile } from 'vite';

/**
 * The plugins of `vite.config.ts` beside this file. Read as a config and not by `runnerImport`, whose modules can import nothing
 * later: the compiler is imported when there is something to compile.
 */
export async function loadPlugins() {
  const found = await loadConfigFromFile(
    { command: 'build', mode: 'production' },
    join(import.meta.dirname, 'vite.config.ts'),
  );
  return found.config.plugins;
}
