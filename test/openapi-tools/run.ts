/**
 * Proves the OpenAPI document of both modes with the tools that people use it with: `npm run outside -- openapi`, after a build.
 * Linters read it, generators make clients of it, which are compiled and used, and schemathesis looks for differences to what
 * the service does. All of them are installed here, on demand.
 * `--clients`: without schemathesis, which takes most of the time. `--paths REGEX`: only schemathesis, on the paths that fit.
 * `--mode service` or `hosted`: only this one.
 * @module
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { pythonWith } from '../support/python-packages.js';
import { startServe } from '../support/start-serve.js';
import { TEXT } from '../client-matrix/task.mjs';
import type { ServeOptions } from '../../src/serve/serve-inference.js';

const HERE = import.meta.dirname;
const ROOT = join(HERE, '../..');

/** Below it a folder for each mode, with the document and the clients. */
const WORK = join(HERE, '.cache');

/** Milliseconds that a tool may take. */
const TIMEOUT_MS = 1_800_000;

/** Made requests of each operation, beside those that schemathesis makes of every schema's edges. */
const MAX_EXAMPLES = '60';

const SERVED: ServeOptions = {
  // What is refused for its haste is not checked.
  rateLimits: { requestsPerMinute: 1_000_000, requestsPerDay: 1_000_000 },
  models: [
    {
      id: 'scripted-chat',
      task: 'chat',
      backend: 'scripted',
      // A model keeps to a format that is asked for: what is not asked by a client's program is answered with JSON.
      script: { replies: [{ match: 'Hi', text: TEXT }, { text: '{"animal":"fox","legs":4}' }] },
    },
    { id: 'scripted-embed', task: 'embeddings', backend: 'scripted', script: { replies: [] } },
    { id: 'scripted-rerank', task: 'rerank', backend: 'scripted', script: { replies: [] } },
    { id: 'scripted-speech', task: 'speech-to-text', backend: 'scripted', script: { replies: [{ text: TEXT }] } },
    { id: 'scripted-voice', task: 'text-to-speech', backend: 'scripted' },
  ],
};

const { values: options } = parseArgs({
  options: { clients: { type: 'boolean' }, paths: { type: 'string' }, mode: { type: 'string' } },
});

const problems: string[] = [];

await main();

async function main(): Promise<void> {
  await install();
  const packages = readFileSync(join(HERE, 'requirements.txt'), 'utf8').trim().split('\n');
  const python = pythonWith('openapi-tools', { packages });
  for (const mode of ['service', 'hosted'] as const) {
    if (options.mode !== undefined && options.mode !== mode) continue;
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

  const env = {
    BASE: baseURL,
    DOCUMENT: document,
    TARGET: join(folder, 'orval/client.ts'),
    SCHEMATHESIS_HOOKS: 'checks',
  };
  const step: Step = (name, command, ...args) => runStep(`${mode}: ${name}`, [command, ...args], env);
  if (options.paths === undefined) await proveClients(step, { folder, document, python });
  if (options.clients) return;
  await step('schemathesis finds no difference', join(python, '../schemathesis'), ...schemathesis(document, baseURL));
}

type Step = (name: string, command: string, ...args: string[]) => Promise<void>;

/** Linters, and clients that are made of the document. */
async function proveClients(
  step: Step,
  { folder, document, python }: { folder: string; document: string; python: string },
): Promise<void> {
  const tool = (name: string): string => join(HERE, 'node_modules/.bin', name);
  const use = (name: string): Promise<void> =>
    step(`${name}'s client works`, process.execPath, join(ROOT, '.ci/run-ts.mjs'), join(folder, `${name}.ts`));
  const types = join(folder, 'openapi-typescript/schema.ts');

  await step('redocly finds no error', tool('redocly'), 'lint', '--config', 'redocly.yaml', document);
  await step('spectral finds no error', tool('spectral'), 'lint', '-r', 'spectral.yaml', document);
  await step('openapi-typescript', tool('openapi-typescript'), document, '-o', types);
  await step('@hey-api/openapi-ts', tool('openapi-ts'), '-i', document, '-o', join(folder, 'hey-api-client'));
  await step('orval', tool('orval'), '--config', 'orval.config.mjs');
  await step('the clients compile', tool('tsc'), '-p', folder);
  for (const name of ['openapi-typescript', 'hey-api', 'orval']) await use(name);

  // A warning is a part of the document that the client does not have.
  const strictly = ['--fail-on-warning', '--config', 'python-client.yaml'];
  const client = join(folder, 'inpage_client');
  const made = ['--path', document, '--output-path', client, '--meta', 'none', ...strictly];
  await step('openapi-python-client', join(python, '../openapi-python-client'), 'generate', ...made);
  await step("openapi-python-client's client compiles", python, '-m', 'compileall', '-q', client);
  await step("openapi-python-client's client works", python, join(folder, 'openapi_python_client.py'));
}

/** Whether a valid request may be refused is said in `checks.py`. */
function schemathesis(document: string, baseURL: string): string[] {
  // Long schemas take long to make examples of on a loaded machine.
  const quiet = ['--no-color', '--suppress-health-check', 'all'];
  const bounds = ['-n', MAX_EXAMPLES, '--seed', '1', '--request-timeout', '20', '--continue-on-failure'];
  const paths = options.paths === undefined ? [] : ['--include-path-regex', options.paths];
  const checks = ['--exclude-checks', 'positive_data_acceptance'];
  return ['run', document, '--url', baseURL, ...checks, ...quiet, ...bounds, ...paths];
}

/** Runs a tool in this folder. What it has printed is shown only where it fails, but for a count of cases. */
async function runStep(name: string, [command, ...args]: string[], env: Record<string, string>): Promise<void> {
  const begun = performance.now();
  const settings = { cwd: HERE, env: { ...process.env, ...env }, timeout: TIMEOUT_MS, maxBuffer: 2 ** 26 };
  const { failure, stdout } = await promisify(execFile)(command!, args, settings).then(
    (printed) => ({ failure: undefined, stdout: printed.stdout }),
    ({ message, stdout: printed = '', stderr = '' }: Error & { stdout?: string; stderr?: string }) => ({
      failure: `${message.slice(0, 500)}\n${printed}\n${stderr}`,
      stdout: printed,
    }),
  );
  const seconds = Math.round((performance.now() - begun) / 1000);
  const [cases] = /\d+ generated.*/.exec(stdout) ?? [];
  const told = [`${seconds} s`, ...(cases === undefined ? [] : [cases])].join(', ');
  console.warn(`${failure === undefined ? 'ok    ' : 'FAILED'} ${name} (${told})`);
  if (failure !== undefined) problems.push(`${name}\n${failure.slice(-20_000)}`);
}
