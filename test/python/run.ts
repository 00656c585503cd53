/**
 * Programs in Python against `inpage serve --compatibility hosted` with scripted models: `npm run outside -- python`, after a build.
 * Each runs in a process of its own, and what it does is a row of the table that is printed. `--write` puts the table into the
 * documentation; NAME…: these programs alone.
 * @module
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonWith } from '../support/python-packages.js';
import { startServe } from '../support/start-serve.js';
import { type Group, GROUPS } from './groups.js';
import { servedModels } from './served.js';

const HERE = import.meta.dirname;
const DOCUMENT = join(HERE, '../../demo/docs/compatibility.md');
const ENVIRONMENTS = join(HERE, '../../node_modules/.cache/python');

/** Groups that pip would think about for a quarter of an hour. */
const UV = 'uv==0.13.9';

/** Milliseconds: a program that says nothing for so long has failed. */
const TIMEOUT_MS = 600_000;

/** What programs do, in the order of the columns. */
const TASKS = [
  'chat',
  'stream',
  'tools',
  'structured',
  'embeddings',
  'rerank',
  'speech',
  'scores',
  'errors',
  'retries',
  'files',
];

/** What none of them may ask beside the service. */
const QUIET = { OTEL_SDK_DISABLED: 'true', LITELLM_LOCAL_MODEL_COST_MAP: 'True', CREWAI_DISABLE_TELEMETRY: 'true' };

interface Row {
  program: string;
  versions: Record<string, string>;
  /** `true`, or what went wrong. */
  tasks: Record<string, string | true>;
}

await main(process.argv.slice(2));

async function main(given: readonly string[]): Promise<void> {
  const wanted = given.filter((each) => !each.startsWith('--'));
  const all = Object.values(GROUPS).flatMap(({ programs }) => programs);
  const unknown = wanted.find((name) => !all.includes(name));
  if (unknown !== undefined) throw new Error(`\`${unknown}\` is none of ${all.join(', ')}.`);
  const chosen = wanted.length > 0 ? wanted : all;
  const { baseURL, stop } = await startServe(servedModels(all));
  // Groq's client asks below a path that is fixed.
  const groq = await startServe({ ...servedModels(all), prefix: '/openai/v1' });
  const ports = Object.values(GROUPS).flatMap(({ port, programs }) =>
    port !== undefined && programs.some((program) => chosen.includes(program)) ? [port] : [],
  );
  const atPorts = await Promise.all(ports.map((port) => startServe(servedModels(all), 'hosted', port)));
  const rows: Row[] = [];
  try {
    const service = { BASE: baseURL, GROQ_ROOT: new URL(groq.baseURL).origin };
    const pending = Object.entries(GROUPS).flatMap(([name, group]) => {
      const programs = group.programs.filter((program) => chosen.includes(program));
      return programs.length === 0 ? [] : programs.map((program) => ({ program, python: environmentOf(name, group) }));
    });
    const work = async (): Promise<void> => {
      for (let next = pending.shift(); next; next = pending.shift()) {
        rows.push(await runProgram(next.python, next.program, service));
        if (given.includes('--write')) writeTable(renderRows(rows));
      }
    };
    await Promise.all([work(), work()]);
  } finally {
    await Promise.all([stop(), groq.stop(), ...atPorts.map((each) => each.stop())]);
  }
  process.stdout.write(`${renderTable(renderRows(rows))}\n`);
  const failures = rows.flatMap(({ program, tasks }) =>
    Object.entries(tasks).flatMap(([task, result]) => (result === true ? [] : [`${program}, ${task}:\n${result}`])),
  );
  for (const failure of failures) console.error(`\n${failure}`);
  process.exit(failures.length === 0 ? 0 : 1);
}

/** The interpreter of a group's virtual environment, which is made again when its packages have changed. */
function environmentOf(name: string, { packages }: Group): string {
  const folder = join(ENVIRONMENTS, `programs-${name}`);
  const python = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const finished = join(folder, 'installed.txt');
  const list = packages.join('\n');
  if (existsSync(finished) && readFileSync(finished, 'utf8') === list) return python;
  console.warn(`Installing ${name} …`);
  const uv = join(pythonWith('uv', { packages: [UV] }), '../uv');
  const run = (...args: string[]): void => void execFileSync(uv, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  run('venv', '--quiet', '--clear', folder);
  run('pip', 'install', '--quiet', '--python', python, ...packages);
  writeFileSync(finished, list);
  return python;
}

async function runProgram(python: string, program: string, service: Record<string, string>): Promise<Row> {
  const file = join(HERE, 'programs', `${program}.py`);
  const env = { ...process.env, ...QUIET, ...service, PROGRAM: program };
  const options = { cwd: HERE, env, timeout: TIMEOUT_MS, maxBuffer: 2 ** 26 };
  const row = await promisify(execFile)(python, ['run_program.py', file], options).then(
    ({ stdout }) => JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as Omit<Row, 'program'>,
    (thrown: unknown) => ({ versions: {}, tasks: { chat: String(thrown).slice(-3000) } }),
  );
  const isRight = Object.values(row.tasks).every((result) => result === true);
  console.warn(`${isRight ? 'ok    ' : 'FAILED'} ${program}`);
  return { program, ...row };
}

/** A line for each program, by its name. */
function renderRows(rows: readonly Row[]): Map<string, string> {
  const lines = rows.map(({ program, versions, tasks }): [string, string] => {
    const packages = Object.entries(versions).map(([name, version]) => `\`${name}==${version}\``);
    const cells = TASKS.map((task) => (task in tasks ? (tasks[task] === true ? 'yes' : 'NO') : ''));
    return [program, lineOf([`${program}: ${packages.join(', ')}`, ...cells])];
  });
  return new Map(lines);
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function renderTable(rows: ReadonlyMap<string, string>): string {
  const sorted = [...rows].toSorted(([a], [b]) => a.localeCompare(b, 'en')).map(([, line]) => line);
  return [lineOf(['program', ...TASKS]), lineOf(['---', ...TASKS.map(() => '---')]), ...sorted].join('\n');
}

/** Programs that did not run now keep their lines. */
function writeTable(rows: ReadonlyMap<string, string>): void {
  const [before, rest] = readFileSync(DOCUMENT, 'utf8').split('<!-- python -->\n');
  const [old, after] = rest!.split('<!-- /python -->');
  const kept = [...old!.matchAll(/^\| ([\w-]+): .*$/gm)].map(([line, program]): [string, string] => {
    // A task that is new has an empty cell.
    const missing = TASKS.length + 3 - line.split('|').length;
    return [program!, line + ' |'.repeat(missing)];
  });
  const table = renderTable(new Map([...kept, ...rows]));
  writeFileSync(DOCUMENT, `${before}<!-- python -->\n\n${table}\n\n<!-- /python -->${after}`);
}
