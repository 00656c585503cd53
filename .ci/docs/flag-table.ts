/** The flags of a command of `npx inpage`, from what `--help` prints. @module */
import type { Command } from '../../src/tools/cli/command.js';
import { doctor } from '../../src/tools/cli/doctor.js';
import { init } from '../../src/tools/cli/init.js';
import { pack } from '../../src/tools/cli/pack.js';
import { serve } from '../../src/tools/cli/serve.js';
import { markdownTable } from './markdown-table.js';

const COMMANDS: Readonly<Record<string, Command>> = { doctor, init, pack, serve };

/**
 * Flags in the order of the help.
 * @param name of the command, e.g. `serve`
 * @throws Error for a command that is not listed here
 */
export function flagTable(name: string): string {
  const command = COMMANDS[name];
  if (!command) throw new Error(`There is no command ${name}.`);
  return markdownTable(
    ['flag', 'meaning'],
    Object.entries(command.options).map(([flag, { value, help }]) => [
      `\`--${flag}${value === undefined ? '' : ` ${value}`}\``,
      help,
    ]),
  );
}
