/** Runs an app's server in a process of its own, with the module that it loads in tests. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface StartedApp {
  /** `http://127.0.0.1:…` */
  origin: string;
  stop(): Promise<void>;
}

/** @param words arguments of `node`; the program prints its port first */
export async function startApp(words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<StartedApp> {
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const [port] = (await Promise.race([
    once(lines, 'line'),
    ended.then(([code]) => Promise.reject(new Error(`It ended with ${code}.`))),
  ])) as [string];
  return {
    origin: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill();
      await ended;
    },
  };
}
