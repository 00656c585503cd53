/** `inpage/test-server` as it is imported by apps, in the runners and environments that they use. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
/** What `npm run test:runners` installs. */
const packages = join(import.meta.dirname, 'node_modules');

let app: string;
beforeAll(() => {
  app = mkdtempSync(join(tmpdir(), 'inpage-runners-'));
  for (const name of ['jest', 'vitest', 'node', 'ask.cjs', 'scenario.cjs'])
    cpSync(join(import.meta.dirname, name), join(app, name), { recursive: true });
  writeFileSync(join(app, 'package.json'), '{ "private": true }');
  mkdirSync(join(app, 'node_modules'));
  symlinkSync(root, join(app, 'node_modules/inpage'));
  symlinkSync(join(root, 'node_modules/vitest'), join(app, 'node_modules/vitest'));
  for (const name of ['jest-environment-node', 'jest-environment-jsdom', 'jsdom'])
    symlinkSync(join(packages, name), join(app, 'node_modules', name));
});
afterAll(() => rmSync(app, { recursive: true }));

/** What a run of `node` writes. @throws Error with it when a test fails */
async function node(words: readonly string[], folder: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  // A runner that starts another tells it so by variables.
  const { NODE_ENV: _, VITEST: __, NODE_OPTIONS: ___, NODE_TEST_CONTEXT: ____, ...outer } = process.env;
  const options = { cwd: join(app, folder), env: { ...outer, ...env } };
  const { stdout, stderr } = await run(process.execPath, words, options).catch(
    (thrown: { stdout: string; stderr: string }) => {
      throw new Error(`${thrown.stdout}\n${thrown.stderr}`);
    },
  );
  return stripVTControlCharacters(stdout + stderr);
}

describe('[Y21] a test server works, whatever timers, fetch, Date and crypto a test has replaced', () => {
  it('in Jest with CommonJS and without flags of Node, in the environments node and jsdom', async () => {
    const written = await node([join(packages, 'jest/bin/jest.js'), '--config', 'jest.config.cjs'], 'jest');
    expect(written).toMatch(/Test Suites: 2 passed, 2 total\nTests: {7}6 passed, 6 total/);
    // It leaves nothing behind that Jest would have to end.
    expect(written).not.toContain('did not exit');
  });

  it('in Vitest, in the environments node and jsdom', async () => {
    const findJsdom = pathToFileURL(join(import.meta.dirname, 'find-jsdom.mjs')).href;
    const env = { NODE_OPTIONS: `--import ${findJsdom}` };
    const written = await node([join(root, 'node_modules/vitest/vitest.mjs'), 'run'], 'vitest', env);
    expect(written).toMatch(/Tests {2}6 passed \(6\)/);
  });

  it('in node:test', async () => {
    const written = await node(['--test', '--test-reporter', 'tap', 'server.test.mjs'], 'node');
    expect(written).toMatch(/# pass 3\n# fail 0/);
  });
});
