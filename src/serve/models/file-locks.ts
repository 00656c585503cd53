/**
 * Locks of files for all threads of this process and for all processes that share a folder: a file that two need at once is
 * fetched once. Within the process they are first come, first served; between processes a lock is a file that holds the
 * process's id, and that is taken over when the process is gone.
 * @module
 */
import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeFolder } from './disk-files.js';

/** Gives a lock back. */
export type Unlock = () => void;

/** How a lock is asked for. */
export interface TakeOptions {
  /** Else it is had at once or not at all. */
  waits: boolean;
  signal: AbortSignal;
}

/** Where locks are had. */
export interface Locks {
  /**
   * Resolves when the lock is held; undefined: another has it, and the caller does not wait.
   * @throws the signal's reason
   */
  take(name: string, options: TakeOptions): Promise<Unlock | undefined>;
}

/** Milliseconds between two looks at a lock that another process holds. */
const LOOK_INTERVAL_MS = 200;

/** Milliseconds between two signs of life of a holder, and after which it is taken for gone: its id may be another's by now. */
const [BEAT_MS, GONE_MS] = [5_000, 60_000];

/** See the module. */
export class FileLocks implements Locks {
  readonly #folder: string | undefined;
  /** What waits for a lock of this process, by its name; the first one holds it. */
  readonly #queues = new Map<string, (() => void)[]>();

  /** @param folder of the locks between processes; undefined: there are none */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  async take(name: string, { waits, signal }: TakeOptions): Promise<Unlock | undefined> {
    const leave = await this.#takeInProcess(name, waits, signal);
    if (!leave) return undefined;
    try {
      const release = await this.#takeOnDisk(name, waits, signal);
      if (!release) leave();
      return release && (() => (release(), leave()));
    } catch (thrown) {
      leave();
      throw thrown;
    }
  }

  async #takeInProcess(name: string, waits: boolean, signal: AbortSignal): Promise<Unlock | undefined> {
    signal.throwIfAborted();
    const queue = this.#queues.get(name) ?? [];
    if (queue.length > 0 && !waits) return undefined;
    this.#queues.set(name, queue);
    let go: () => void = () => {};
    const leave = (): void => {
      const wasFirst = queue[0] === go;
      queue.splice(queue.indexOf(go), 1);
      if (queue.length === 0) this.#queues.delete(name);
      else if (wasFirst) queue[0]!();
    };
    await new Promise<void>((resolve, reject) => {
      go = resolve;
      queue.push(go);
      if (queue.length === 1) return resolve();
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    }).catch((thrown: unknown) => {
      leave();
      throw thrown;
    });
    return leave;
  }

  async #takeOnDisk(name: string, waits: boolean, signal: AbortSignal): Promise<Unlock | undefined> {
    if (this.#folder === undefined) return () => {};
    const path = join(this.#folder, createHash('sha256').update(name).digest('hex').slice(0, 32));
    for (;;) {
      const own = makeLock(path);
      if (own === '') return () => {};
      if (own) return keepAlive(path, own);
      if (dropDead(path)) continue;
      if (!waits) return undefined;
      await pause(LOOK_INTERVAL_MS, undefined, { signal });
    }
  }
}

/** The same in the form that browsers have, for the store. */
export function lockManagerOf(locks: Locks): LockManager {
  const request = async (
    name: string,
    { ifAvailable = false, signal = new AbortController().signal }: LockOptions,
    use: (lock: Lock | null) => unknown,
  ): Promise<unknown> => {
    const unlock = await locks.take(name, { waits: !ifAvailable, signal });
    if (!unlock) return use(null);
    try {
      return await use({ name, mode: 'exclusive' });
    } finally {
      unlock();
    }
  };
  return { request } as LockManager;
}

/** What stands in the locks that this process holds: several servers may run in it. */
const heldHere = new Set<string>();

/** @returns what the lock's file holds; empty where nothing can be written, and nothing is shared; undefined: there is one */
function makeLock(path: string): string | undefined {
  const text = JSON.stringify({ pid: process.pid, host: hostname(), id: randomUUID() });
  try {
    makeFolder(dirname(path));
  } catch {
    return '';
  }
  try {
    const file = openSync(path, 'wx');
    writeSync(file, text);
    closeSync(file);
    heldHere.add(text);
    return text;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EEXIST' ? undefined : '';
  }
}

function keepAlive(path: string, own: string): Unlock {
  const beat = setInterval(() => {
    const now = new Date();
    try {
      utimesSync(path, now, now);
    } catch {
      // Somebody has removed the folder.
    }
  }, BEAT_MS);
  beat.unref();
  return () => {
    clearInterval(beat);
    heldHere.delete(own);
    if (textOf(path) === own) rmSync(path, { force: true });
  };
}

/** Removes the lock of a process that is gone. @returns whether to try again at once */
function dropDead(path: string): boolean {
  const text = textOf(path);
  if (text === undefined) return !existsSync(path);
  if (!isDead(path, text)) return false;
  // Two may see it at once: what the slower one moves away is perhaps the new lock of the other, and goes back.
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
    if (textOf(aside) !== text) renameSync(aside, path);
    else rmSync(aside, { force: true });
  } catch {
    // The other was faster.
  }
  return true;
}

function isDead(path: string, text: string): boolean {
  const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (age > GONE_MS) return true;
  try {
    const { pid, host } = JSON.parse(text) as { pid: number; host: string };
    // One with this process's id that it does not hold was left by an earlier process.
    return host === hostname() && !(pid === process.pid ? heldHere.has(text) : isRunning(pid));
  } catch {
    // It is just being written.
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
