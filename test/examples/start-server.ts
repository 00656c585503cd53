/** An app's own server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../support/free-port.js';

/** Milliseconds in which it must answer. */
const START_TIMEOUT_MS = 60_000;

/**
 * Starts it in the app's folder, and waits until it answers.
 * @param command its words; the port comes behind them
 */
export async function startServer(
  folder: string,
  command: readonly string[] = ['npm', 'start', '--', '--port'],
): Promise<{ origin: string; close: () => Promise<void> }> {
  const origin = `http://localhost:${await freePort()}`;
  const [program = '', ...words] = command;
  const server = spawn(program, [...words, new URL(origin).port], { cwd: folder, stdio: 'ignore', detached: true });
  const hasEnded = once(server, 'exit').then(([code]) => Promise.reject(new Error(`The server ended with ${code}.`)));
  const close = async (): Promise<void> => {
    // With what npm started.
    process.kill(-server.pid!);
    await hasEnded.catch(() => {});
  };
  const answers = async (): Promise<void> => {
    const deadline = AbortSignal.timeout(START_TIMEOUT_MS);
    while (!(await fetch(origin, { signal: deadline }).catch(() => deadline.throwIfAborted()))) await pause(200);
  };
  try {
    await Promise.race([answers(), hasEnded]);
    return { origin, close };
  } catch (thrown) {
    await close().catch(() => {});
    throw thrown;
  }
}
