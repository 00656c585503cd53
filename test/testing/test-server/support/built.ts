/** The entry point as it is packed: the server's thread needs a file of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createBuilder } from 'vite';
import { nodeFiles, TEST_SERVER_ENVIRONMENTS, testServerThread } from '../../../../.ci/test-server-build.js';

let folder: Promise<string> | undefined;

/** Folder of the built files; made once for each worker of Vitest. */
function builtTestServer(): Promise<string> {
  return (folder ??= buildTestServer());
}

/** The file that an app's own server loads. */
export async function registerFile(): Promise<string> {
  return join(await builtTestServer(), 'test-server-register.js');
}

/** Starts a test server as the Playwright fixture does. */
export async function importServerForApp(): Promise<
  typeof import('../../../../src/testing/test-server/start-test-server.js')
> {
  return (await import(pathToFileURL(join(await builtTestServer(), 'start-test-server.js')).href)) as never;
}

export async function importTestServer(): Promise<typeof import('../../../../src/testing/test-server/index.js')> {
  return (await import(pathToFileURL(join(await builtTestServer(), 'test-server.js')).href)) as never;
}

const source = join(import.meta.dirname, '../../../../src/testing/test-server/start-test-server.ts');
const environments = {
  ...TEST_SERVER_ENVIRONMENTS,
  // Part of the entry for Playwright.
  forApps: nodeFiles({ 'start-test-server': source }, 'es'),
};

async function buildTestServer(): Promise<string> {
  const outDir = mkdtempSync(join(tmpdir(), 'inpage-test-server-'));
  process.once('exit', () => rmSync(outDir, { recursive: true, force: true }));
  const builder = await createBuilder({
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    plugins: [testServerThread()],
    build: { outDir, emptyOutDir: false },
    environments,
  });
  await Promise.all(Object.keys(environments).map((name) => builder.build(builder.environments[name]!)));
  return outDir;
}
