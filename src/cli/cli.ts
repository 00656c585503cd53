#!/usr/bin/env node
/**
 * The command line: `npx inpage <command>`. `npx inpage --help` lists the commands, and `npx inpage <command> --help` says
 * what each can be told. Ends with 0 when it is done, with 1 when it could not be done, with 2 for wrong arguments.
 * @module
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { suggestName } from '../models/check-names.js';
import { allOptions, type Command, type CommandValues, EXIT_CODES, helpOf, table, UsageError } from './command.js';
import { init } from './init.js';
import { pack } from './pack.js';
import { serve } from './serve.js';

const COMMANDS: Record<string, Command> = { init, serve, pack };

try {
  await run(process.argv.slice(2));
} catch (thrown) {
  process.stderr.write(`inpage: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
  process.exitCode = thrown instanceof UsageError ? 2 : 1;
}

async function run([name, ...rest]: string[]): Promise<void> {
  if (name === '--version') return print(versionOf());
  if (name === undefined || ['--help', '-h', 'help'].includes(name)) {
    const named = rest[0] === undefined ? undefined : COMMANDS[rest[0]];
    print(named ? helpOf(named) : overview());
    // Without a command there was nothing to do.
    if (name === undefined) process.exitCode = 2;
    return;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw new UsageError(`\`${name}\` is not a command. ${suggestName(name, Object.keys(COMMANDS))}`);
  const { positionals, values } = read(name, command, rest);
  if (values['help']) return print(helpOf(command));
  if (values['version']) return print(versionOf());
  await command.run(positionals, values);
}

/** @throws UsageError that names the flag */
function read(name: string, command: Command, args: string[]): { positionals: string[]; values: CommandValues } {
  const options = allOptions(command);
  for (const arg of args) {
    const [, flag] = /^--([^=]+)/.exec(arg) ?? [];
    if (flag === undefined || Object.hasOwn(options, flag)) continue;
    const hint = suggestName(
      arg.replace(/=.*/, ''),
      Object.keys(options).map((known) => `--${known}`),
    );
    throw new UsageError(`\`--${flag}\` is not an option of \`inpage ${name}\`. ${hint}`);
  }
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (thrown) {
    throw new UsageError(`${(thrown as Error).message.split('\n')[0]} See \`inpage ${name} --help\`.`);
  }
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

${EXIT_CODES}`;
}

function versionOf(): string {
  const file = new URL('../package.json', import.meta.url);
  return `${(JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version}\n`;
}

function print(text: string): void {
  process.stdout.write(text);
}
