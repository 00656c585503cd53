/** The entry point as it is packed: the server's thread needs a file of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createBuilder } from 'vite';
import { TEST_SERVER_ENVIRONMENTS, testServerThread } from '../../../../.ci/test-server-build.js';

let folder: Promise<string> | undefined;

/** Folder of the built files; made once for each worker of Vitest. */
function builtTestServer(): Promise<string> {
  return (folder ??= buildTestServer());
}

export async function importTestServer(): Promise<typeof import('../../../../src/node/test-server/index.js')> {
  return (await import(pathToFileURL(join(await builtTestServer(), 'test-server.js')).href)) as never;
}

async function buildTestServer(): Promise<string> {
  const outDir = mkdtempSync(join(tmpdir(), 'inpage-test-server-'));
  process.once('exit', () => rmSync(outDir, { recursive: true, force: true }));
  const builder = await createBuilder({
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    plugins: [testServerThread()],
    build: { outDir, emptyOutDir: false },
    environments: TEST_SERVER_ENVIRONMENTS,
  });
  await Promise.all(Object.keys(TEST_SERVER_ENVIRONMENTS).map((name) => builder.build(builder.environments[name]!)));
  return outDir;
}
