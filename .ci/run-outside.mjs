// `npm run outside -- NAME [WORDS]`: tests with programs from outside of this repository, one NAME each. Without one it lists them.
import { spawnSync } from 'node:child_process';
import { OUTSIDE } from './outside.mjs';

const [name, ...words] = process.argv.slice(2);
const program = Object.hasOwn(OUTSIDE, name ?? '') ? OUTSIDE[name] : undefined;
if (program) {
  for (const command of program.before ?? []) run(command);
  run([...program.command, ...words]);
} else {
  for (const [each, { does }] of Object.entries(OUTSIDE)) console.log(`${each.padEnd(12)} ${does}`);
  if (name !== undefined) {
    console.error(`There is no \`${name}\`.`);
    process.exitCode = 2;
  }
}

/** Ends this process with the status of a command that fails. */
function run([file, ...rest]) {
  const shell = process.platform === 'win32';
  const { status } = spawnSync(file, rest, { stdio: 'inherit', shell });
  if (status !== 0) process.exit(status ?? 1);
}
