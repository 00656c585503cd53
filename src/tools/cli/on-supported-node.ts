/** The first step of a command line, in words that any Node understands. @module */

/**
 * Runs a program where Node is new enough. Too old a version says so, where the imports of the program would end in a
 * syntax error or do nothing.
 * @param name for the message
 * @param run imports what it needs only then
 */
export function onSupportedNode(name: string, run: () => Promise<void>): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) {
    void run();
  } else {
    process.stderr.write(`${name}: needs Node 20.19 or newer; this is ${process.versions.node}.\n`);
    process.exitCode = 1;
  }
}
