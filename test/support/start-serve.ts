/** `inpage serve` in a process of its own, as programs of other languages meet it. Needs a build. @module */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ServeOptions } from '../../src/serve/serve-inference.js';

const CLI = join(import.meta.dirname, '../../dist/cli.js');

/** Milliseconds until it must have said where it serves. */
const START_TIMEOUT_MS = 60_000;

/** A running `inpage serve`. */
interface RunningServe {
  /** Ends with `/v1`. */
  baseURL: string;
  /** Resolves when its process is gone. */
  stop(): Promise<void>;
}

/**
 * @param port 0: a free one
 * @throws Error without a build, or with what it has printed when it does not serve
 */
export async function startServe(
  options: ServeOptions,
  compatibility: 'service' | 'hosted' = 'hosted',
  port = 0,
): Promise<RunningServe> {
  if (!existsSync(CLI)) throw new Error('Run `npm run build` first.');
  const folder = mkdtempSync(join(tmpdir(), 'inpage-serve-'));
  const config = join(folder, 'inpage.json');
  writeFileSync(config, JSON.stringify(options));
  const flags = ['--port', `${port}`, '--compatibility', compatibility, '--config', config];
  const child = spawn(process.execPath, [CLI, 'serve', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = async (): Promise<void> => {
    const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGTERM');
    await gone;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    return { baseURL: await baseURLOf(child), stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

/** What it prints first. */
async function baseURLOf(child: ChildProcess): Promise<string> {
  const deadline = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
  const printed: string[] = [];
  try {
    for await (const line of createInterface({ input: child.stdout! })) {
      const [, baseURL] = /serving (\S+)/.exec(line) ?? [];
      if (baseURL !== undefined) return baseURL;
      printed.push(line);
    }
  } finally {
    clearTimeout(deadline);
    // What it prints later is not read, and must not stop it.
    child.stdout!.resume();
  }
  throw new Error(`inpage serve does not serve. It has printed: ${printed.join('\n')}`);
}
