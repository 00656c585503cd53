/** Reads the arguments of `npm create inpage`. @module */
import { formatHelp } from '../cli/command.js';
import { readArguments } from '../cli/read-arguments.js';
import { runProgram } from '../cli/run-program.js';
import { createApp } from './create-app.js';
import type { Streams } from './terminal.js';

/** Written by the build. */
declare const INPAGE_VERSION: string;

const PROGRAM = 'npm create inpage';

/** Runs `create-inpage` with these arguments and sets the process's exit code. Never rejects. */
export function runCreate(args: string[]): Promise<void> {
  const streams: Streams = { input: process.stdin, output: process.stdout };
  const command = createApp(streams);
  return runProgram('create-inpage', async () => {
    const { words, values } = readArguments(PROGRAM, command, args);
    if (values['help']) streams.output.write(formatHelp(PROGRAM, command));
    else if (values['version']) streams.output.write(`${INPAGE_VERSION}\n`);
    else await command.run(words, values);
  });
}
