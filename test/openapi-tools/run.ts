/**
 * Proves the OpenAPI document of both modes with the tools that people use it with: `npm run test:openapi`, after a build.
 * Linters read it, generators make clients of it, which are compiled and used, and schemathesis looks for differences to what
 * the service does. All of them are installed here, on demand.
 * `--clients`: without schemathesis, which takes most of the time.
 * @module
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonWith } from '../support/python-packages.js';
import { startServe } from '../support/start-serve.js';
import { TEXT } from '../client-matrix/task.mjs';
import type { ServeOptions } from '../../src/node/bridge/serve-inference.js';

const HERE = import.meta.dirname;
const ROOT = join(HERE, '../..');

/** Below it a folder for each mode, with the document and the clients. */
const WORK = join(HERE, '.cache');

/** Milliseconds that a tool may take. */
const TIMEOUT_MS = 1_800_000;

/** Made requests of each operation, beside those that schemathesis makes of every schema's edges. */
const MAX_EXAMPLES = '10';

const SERVED: ServeOptions = {
  models: [
    { id: 'scripted-chat', task: 'chat', backend: 'scripted', script: { replies: [{ text: TEXT }] } },
    { id: 'scripted-embed', task: 'embeddings', backend: 'scripted', script: { replies: [] } },
    { id: 'scripted-rerank', task: 'rerank', backend: 'scripted', script: { replies: [] } },
    { id: 'scripted-speech', task: 'speech-to-text', backend: 'scripted', script: { replies: [{ text: TEXT }] } },
  ],
};

const problems: string[] = [];

await main();

async function main(): Promise<void> {
  await install();
  const packages = readFileSync(join(HERE, 'requirements.txt'), 'utf8').trim().split('\n');
  const python = pythonWith('openapi-tools', { packages });
  for (const mode of ['service', 'hosted'] as const) {
    const { baseURL, stop } = await startServe(SERVED, mode);
    try {
      await proveMode(mode, baseURL, python);
    } finally {
      await stop();
    }
  }
  for (const problem of problems) console.error(`\n${problem}`);
  process.exit(problems.length === 0 ? 0 : 1);
}

/** From the locked file; again only when that file has changed. */
async function install(): Promise<void> {
  const lock = readFileSync(join(HERE, 'package-lock.json'), 'utf8');
  const stamp = join(HERE, 'node_modules/.installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  await promisify(execFile)('npm', ['ci'], { cwd: HERE, maxBuffer: 2 ** 24 });
  writeFileSync(stamp, lock);
}

async function proveMode(mode: 'service' | 'hosted', baseURL: string, python: string): Promise<void> {
  const folder = join(WORK, mode);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const source of ['programs', 'tsconfig.json'])
    cpSync(join(HERE, source), join(folder, source === 'programs' ? '.' : source), { recursive: true });
  const document = join(folder, 'openapi.json');
  writeFileSync(document, await (await fetch(`${baseURL}/openapi.json`)).text());

  const tool = (name: string): string => join(HERE, 'node_modules/.bin', name);
  const program = (name: string): string => join(python, '..', name);
  const env = {
    BASE: baseURL,
    DOCUMENT: document,
    TARGET: join(folder, 'orval/client.ts'),
    SCHEMATHESIS_HOOKS: 'checks',
  };
  const step = (name: string, command: string, ...args: string[]): Promise<void> =>
    runStep(`${mode}: ${name}`, [command, ...args], env);
  const use = (name: string): Promise<void> =>
    step(`${name}'s client works`, process.execPath, join(ROOT, '.ci/run-ts.mjs'), join(folder, `${name}.ts`));

  await step('redocly finds no error', tool('redocly'), 'lint', '--config', 'redocly.yaml', document);
  await step('spectral finds no error', tool('spectral'), 'lint', '-r', 'spectral.yaml', document);
  await step(
    'openapi-typescript',
    tool('openapi-typescript'),
    document,
    '-o',
    join(folder, 'openapi-typescript/schema.ts'),
  );
  await step('@hey-api/openapi-ts', tool('openapi-ts'), '-i', document, '-o', join(folder, 'hey-api-client'));
  await step('orval', tool('orval'), '--config', 'orval.config.mjs');
  await step('the clients compile', tool('tsc'), '-p', folder);
  for (const name of ['openapi-typescript', 'hey-api', 'orval']) await use(name);

  // A warning is a part of the document that the client does not have.
  const strictly = ['--fail-on-warning', '--config', 'python-client.yaml'];
  const made = ['--path', document, '--output-path', join(folder, 'inpage_client'), '--meta', 'none', ...strictly];
  await step('openapi-python-client', program('openapi-python-client'), 'generate', ...made);
  await step(
    "openapi-python-client's client compiles",
    python,
    '-m',
    'compileall',
    '-q',
    join(folder, 'inpage_client'),
  );
  await step("openapi-python-client's client works", python, join(folder, 'openapi_python_client.py'));
  if (!process.argv.includes('--clients'))
    await step('schemathesis finds no difference', program('schemathesis'), ...schemathesis(document, baseURL));
}

/** Whether a valid request may be refused is said in `checks.py`. */
function schemathesis(document: string, baseURL: string): string[] {
  // Long schemas take long to make examples of on a loaded machine.
  const quiet = ['--no-color', '--suppress-health-check', 'all'];
  const bounds = ['-n', MAX_EXAMPLES, '--seed', '1', '--request-timeout', '20', '--continue-on-failure'];
  return ['run', document, '--url', baseURL, '--exclude-checks', 'positive_data_acceptance', ...quiet, ...bounds];
}

/** Runs a tool in this folder. What it has printed is shown only where it fails. */
async function runStep(name: string, [command, ...args]: string[], env: Record<string, string>): Promise<void> {
  const begun = performance.now();
  const options = { cwd: HERE, env: { ...process.env, ...env }, timeout: TIMEOUT_MS, maxBuffer: 2 ** 26 };
  const failure = await promisify(execFile)(command!, args, options).then(
    () => undefined,
    ({ message, stdout = '', stderr = '' }: Error & { stdout?: string; stderr?: string }) =>
      `${message.slice(0, 500)}\n${stdout}\n${stderr}`,
  );
  const seconds = Math.round((performance.now() - begun) / 1000);
  console.warn(`${failure === undefined ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (failure !== undefined) problems.push(`${name}\n${failure.slice(-20_000)}`);
}
