// Fails when the documents name a command of this repository that neither `.ci/run` nor a workflow runs, or when one of them
// names one that does not exist: what no one runs breaks unseen.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { OUTSIDE } from './outside.mjs';

/** Commands that cannot run in CI, and why. */
const BY_HAND = {
  'npm run format': 'changes files; `npm run lint` checks them',
  'npm run try': 'waits for a person',
  'npm run dev': 'serves until it is stopped',
  'npm run preview': 'serves until it is stopped',
  'npm start': 'serves until it is stopped',
  'npm run outside': 'lists what it can run',
  'npm run make-tiny-chat': 'changes a file; a unit test compares it',
  'npm run outside -- templates': 'needs published chat templates, which are not copied here, and Python',
  'npm run outside -- polyfill': "needs a folder of Google's polyfill, which is not copied here",
  'npm run outside -- webllm': 'needs a model library that no one may download here',
};

const OUTSIDE_COMMAND = 'npm run outside -- ';

const read = (file) => readFileSync(file, 'utf8');
const { scripts } = JSON.parse(read('package.json'));
const files = (...patterns) =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...patterns], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && existsSync(file));
const DOCUMENTS = files('README.md', 'CONTRIBUTING.md', 'demo/docs/*.md', 'test/*/README.md');
const CI = files('.ci/run', '.github/workflows/*.yml');

/** `npm test`, `npm run NAME`, `npm run outside -- NAME` and `node FILE [FILE of .ci/run-ts.mjs]`, where it is a file of this repository. */
function* commandsIn(text) {
  for (const [, name] of text.matchAll(/\bnpm run outside -- ([a-z][\w-]*)/g)) yield OUTSIDE_COMMAND + name;
  for (const [, name] of text.matchAll(/\bnpm run (?:-s )?(?!outside -- )([a-z][\w:-]*)/g)) yield `npm run ${name}`;
  for (const [, name] of text.matchAll(/\bnpm (test|start)\b/g)) yield `npm ${name}`;
  for (const [, runner, file] of text.matchAll(/\bnode (\.ci\/run-ts\.mjs )?((?:\.ci|test|demo)\/[\w./-]+\.m?[jt]s)/g))
    yield `node ${runner ?? ''}${file}`;
}

/** With what the scripts of package.json run in turn. */
function closure(commands) {
  const all = new Set();
  const queue = [...commands];
  for (let command = queue.pop(); command !== undefined; command = queue.pop()) {
    if (all.has(command)) continue;
    all.add(command);
    const name = scriptOf(command);
    if (name && scripts[name]) queue.push(...commandsIn(scripts[name]));
    for (const before of outsideOf(command)?.before ?? []) queue.push(...commandsIn(before.join(' ')));
  }
  return all;
}

/** Scripts that run a part of what `npm test` runs. */
const PARTS = ['npm run test:unit', 'npm run test:browser', 'npm run test:e2e'];

/** What it stands for in the table of programs from outside. */
const outsideOf = (command) =>
  command.startsWith(OUTSIDE_COMMAND) ? OUTSIDE[command.slice(OUTSIDE_COMMAND.length)] : undefined;
/** The name of its script; undefined: it runs a file. */
const scriptOf = (command) => /^npm (?:run )?([\w:-]+)$/.exec(command)?.[1];
const isThere = (command) => {
  if (command.startsWith(OUTSIDE_COMMAND)) return outsideOf(command) !== undefined;
  const name = scriptOf(command);
  return name === undefined ? existsSync(command.split(' ').at(-1)) : scripts[name] !== undefined;
};

const run = closure(CI.flatMap((file) => [...commandsIn(read(file))]));
if (run.has('npm run test:built')) for (const part of PARTS) run.add(part);
const problems = [];
for (const file of CI)
  for (const command of new Set(commandsIn(read(file))))
    if (!isThere(command)) problems.push(`${file}: \`${command}\` does not exist`);
for (const document of DOCUMENTS)
  for (const command of new Set(commandsIn(read(document)))) {
    // An app of the reader has scripts of its own.
    if (scriptOf(command) && !isThere(command) && !/CONTRIBUTING|internals/.test(document)) continue;
    if (!isThere(command)) problems.push(`${document}: \`${command}\` does not exist`);
    else if (!run.has(command) && !BY_HAND[command]) problems.push(`${document}: \`${command}\` runs nowhere in CI`);
  }
for (const command of Object.keys(BY_HAND))
  if (run.has(command)) problems.push(`.ci/check-commands.mjs: \`${command}\` runs in CI, so it is not run by hand`);
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? `commands: what the documents name runs in CI` : `${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
