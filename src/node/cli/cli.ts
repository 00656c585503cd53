#!/usr/bin/env node
/**
 * The command line: `npx inpage <command>`. Its first step, in words that any Node understands: too old a version says so,
 * where imports would end in a syntax error or do nothing.
 * @module
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > 20 || (major === 20 && minor >= 19)) {
  void import('./run-command.js').then(({ runCommand }) => runCommand(process.argv.slice(2)));
} else {
  process.stderr.write(`inpage: needs Node 20.19 or newer; this is ${process.versions.node}.\n`);
  process.exitCode = 1;
}
