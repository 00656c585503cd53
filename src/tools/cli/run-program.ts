/** Runs a command line to its end: what it prints of an error, and its exit code. @module */
import { UsageError } from './command.js';
import { printError } from './print.js';
import { explainFileError } from './read-json-file.js';

/**
 * Runs a program, prints why it failed, and sets the process's exit code: 0 when it is done, 1 when it could not be done, 2
 * for wrong arguments. Never rejects.
 * @param name begins the message
 */
export async function runProgram(name: string, run: () => Promise<void>): Promise<void> {
  // A caller that reads may leave early, as `head` does.
  process.stdout.on('error', () => {});
  try {
    await run();
  } catch (thrown) {
    printError(`${name}: ${explainFileError(thrown)}\n`);
    process.exitCode = thrown instanceof UsageError ? 2 : 1;
  }
}
