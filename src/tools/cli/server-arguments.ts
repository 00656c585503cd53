/** What the commands that serve have in common. @module */
import { type CommandValues, UsageError } from './command.js';
import { endWithStarter } from './end-with-starter.js';
import { readJsonFile } from './read-json-file.js';

/** Milliseconds in which a server ends properly. */
const CLOSE_MS = 1_500;

/** Ends with 0 when it is told to; at once when it is told again. */
export function closeOnSignal(server: { close(): Promise<void> }): void {
  let isClosing = false;
  const close = (): void => {
    if (isClosing) process.exit(1);
    isClosing = true;
    void server.close();
    // What does not end by itself has had its time.
    setTimeout(() => process.exit(0), CLOSE_MS).unref();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, close);
  endWithStarter(close);
}

/** @throws Error that names the file */
export function readConfig(file: string): object {
  const options = readJsonFile(file);
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) return options;
  throw new Error(`${file}: must be an object with options, e.g. { "models": [] }.`);
}

/** @throws UsageError */
export function readPort(port: CommandValues[string]): number | undefined {
  if (port === undefined) return undefined;
  if (!/^\d{1,5}$/.test(String(port)) || Number(port) > 65_535) {
    throw new UsageError(`\`--port\` must be a number from 0 to 65535, not \`${String(port)}\`.`);
  }
  return Number(port);
}

/** @throws UsageError */
export function readCompatibility(name: CommandValues[string]): 'service' | 'hosted' | undefined {
  if (name === undefined || name === 'service' || name === 'hosted') return name;
  throw new UsageError(`\`--compatibility\` must be service or hosted, not \`${String(name)}\`.`);
}
