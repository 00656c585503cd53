/** `inpage record`. @module */
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { InferenceServer } from '../../serve/serve-inference.js';
import { addToRecording, readRecording } from '../../serve/recording/recording-file.js';
import { type Command, UsageError } from './command.js';
import { endWithStarter } from './end-with-starter.js';
import { print, printError } from './print.js';
import { serve, startServer } from './serve.js';

/** Milliseconds between two looks at what was answered: a crash loses no more. */
const SAVE_INTERVAL_MS = 1_000;

/** Serves as `inpage serve` does, and keeps the answers. */
export const record: Command = {
  summary: 'Serves /v1 like `inpage serve`, and records the answers in a script file that tests can replay.',
  usage: ['record <file> [--port N] [--config FILE] [--compatibility NAME]'],
  options: {
    port: serve.options['port']!,
    config: serve.options['config']!,
    compatibility: serve.options['compatibility']!,
  },
  examples: [
    'npx inpage record replies.json',
    'npx inpage record replies.json --config upstream.json --port 3000',
    'npx inpage serve --config replies.json',
  ],
  async run([file, ...more], values) {
    if (file === undefined || more.length > 0) {
      throw new UsageError('`inpage record` requires one file, e.g. `npx inpage record replies.json`.');
    }
    // Otherwise this would be noticed only after the first answer.
    if (existsSync(file)) readRecording(file);
    accessSync(dirname(resolve(file)), constants.W_OK);
    await startServer([], values, (server) => saveRecording(server, file), { record: true });
    print(`inpage: recording to ${file}. Press Ctrl+C to stop\n`);
  },
};

/** Writes what was answered, again and again, and a last time when the process is told to end. */
function saveRecording(server: InferenceServer, file: string): void {
  let isClosing = false;
  let written = '';
  const save = async (): Promise<void> => {
    const models = await server.recorded();
    const text = JSON.stringify(models);
    if (text === written) return;
    written = text;
    const count = addToRecording(file, models);
    print(`inpage: ${file} has ${count} ${count === 1 ? 'answer' : 'answers'}\n`);
  };
  const timer = setInterval(() => void save().catch(() => {}), SAVE_INTERVAL_MS);
  const close = (): void => {
    if (isClosing) process.exit(1);
    isClosing = true;
    clearInterval(timer);
    void save()
      .catch((thrown: unknown) => {
        printError(`inpage: ${(thrown as Error).message}\n`);
        process.exitCode = 1;
      })
      .then(() => server.close());
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, close);
  endWithStarter(close);
}
