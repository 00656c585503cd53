/** An app's own server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.js';
import { strangerEnvironment } from './stranger.js';

/** Milliseconds in which it must answer. */
const START_TIMEOUT_MS = 120_000;

/**
 * Starts it in the app's folder, and waits until it answers.
 * @param command its words, the port behind them where the last one is `--port`; it is the variable PORT as well
 * @param env what is set in its environment besides
 * @throws Error with what it wrote as errors, when it ends or does not answer
 */
export async function startServer(
  folder: string,
  command: readonly string[] = ['npm', 'start', '--', '--port'],
  env: NodeJS.ProcessEnv = {},
): Promise<{ origin: string; close: () => Promise<void> }> {
  const port = String(await freePort());
  const origin = `http://localhost:${port}`;
  const [program = '', ...words] = command;
  const server = spawn(program, words.at(-1) === '--port' ? [...words, port] : words, {
    cwd: folder,
    env: strangerEnvironment({ PORT: port, ...env }),
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let written = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => (written += text));
  const ended = once(server, 'exit');
  const close = async (): Promise<void> => {
    // With the processes that it has started, which it does not always end.
    process.kill(-server.pid!, 'SIGKILL');
    await ended;
  };
  const hasEnded = ended.then(([code]) => Promise.reject(new Error(`The server ended with ${code}.`)));
  const answers = async (): Promise<void> => {
    const deadline = AbortSignal.timeout(START_TIMEOUT_MS);
    // A development server may answer 503 while it builds.
    const asks = (): Promise<boolean> =>
      fetch(origin, { signal: deadline }).then(
        ({ status }) => status < 500,
        () => false,
      );
    while (!(await asks())) {
      deadline.throwIfAborted();
      await pause(200);
    }
  };
  try {
    await Promise.race([answers(), hasEnded]);
    return { origin, close };
  } catch (cause) {
    await close().catch(() => {});
    throw new Error(`${command.join(' ')} did not start.\n${written}`, { cause });
  }
}
