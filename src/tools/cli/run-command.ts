/**
 * Finds the command and runs it. `npx inpage --help` lists the commands, and `npx inpage <command> --help` says
 * what each can be told.
 * @module
 */
import { readFileSync } from 'node:fs';
import { suggestName } from '../../core/models/suggest-name.js';
import { type Command, EXIT_CODES, formatHelp, table, UsageError } from './command.js';
import { cache } from './cache.js';
import { connect } from './connect.js';
import { doctor } from './doctor.js';
import { init } from './init.js';
import { models } from './models.js';
import { pack } from './pack.js';
import { print } from './print.js';
import { readArguments } from './read-arguments.js';
import { record } from './record.js';
import { runProgram } from './run-program.js';
import { serve } from './serve.js';
import { testServer } from './test-server.js';
import { tryOut } from './try.js';

const COMMANDS: Record<string, Command> = {
  init,
  serve,
  try: tryOut,
  cache,
  'test-server': testServer,
  record,
  doctor,
  connect,
  models,
  pack,
};

/** Runs `inpage` with these arguments and sets the process's exit code. Never rejects. */
export function runCommand(words: string[]): Promise<void> {
  return runProgram('inpage', () => run(words));
}

async function run([name, ...rest]: string[]): Promise<void> {
  if (name === '--version' || name === '-v') return print(readVersion());
  if (name === undefined) {
    print(overview());
    // There was nothing to do.
    process.exitCode = 2;
    return;
  }
  if (['--help', '-h', 'help'].includes(name)) {
    return print(rest[0] === undefined ? overview() : formatHelp('inpage', findCommand(rest[0])));
  }
  const command = findCommand(name);
  const { words, values } = readArguments(`inpage ${name}`, command, rest);
  if (values['help']) return print(formatHelp('inpage', command));
  if (values['version']) return print(readVersion());
  await command.run(words, values);
}

/** @throws UsageError that names the nearest one */
function findCommand(name: string): Command {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw new UsageError(`\`${name}\` is not a command. ${suggestName(name, Object.keys(COMMANDS))}`);
  return command;
}

function overview(): string {
  return `Gives a web page its own /v1: inference by models that run inside the page.

Usage
  inpage <command> [options]
  inpage <command> --help

Commands
${table(Object.entries(COMMANDS).map(([name, { summary }]) => [name, summary] as const))}

Examples
  npx inpage init public
  npx inpage serve
  npx inpage try

${EXIT_CODES}`;
}

function readVersion(): string {
  const file = new URL('../package.json', import.meta.url);
  return `${(JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version}\n`;
}
