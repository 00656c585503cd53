/** Locks of threads and of processes. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileLocks } from '../../../src/serve/models/file-locks.js';
import { serveLocks, ThreadLocks } from '../../../src/serve/models/thread-locks.js';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'inpage-locks-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const { signal } = new AbortController();
const GREEDY = { waits: false, signal };
const PATIENT = { waits: true, signal };

describe('[Y46] FileLocks', () => {
  it('gives a lock to one at a time, first come, first served', async () => {
    const locks = new FileLocks(folder);
    const first = await locks.take('a', PATIENT);
    expect(await locks.take('a', GREEDY)).toBeUndefined();
    expect(await locks.take('b', GREEDY)).toBeDefined();
    const order: number[] = [];
    const waiting = [1, 2].map(async (number) => {
      const unlock = await locks.take('a', PATIENT);
      order.push(number);
      unlock!();
    });
    const left = new AbortController();
    const leaving = locks.take('a', { waits: true, signal: left.signal });
    left.abort();
    await expect(leaving).rejects.toMatchObject({ name: 'AbortError' });
    first!();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2]);
  });

  it('waits for another process, and takes over from one that is gone', async () => {
    const [own, other] = [new FileLocks(folder), new FileLocks(folder)];
    const unlock = await own.take('a', PATIENT);
    const [path] = readdirSync(folder).map((name) => join(folder, name));
    // Another process that lives: the one that started this one.
    writeFileSync(path!, JSON.stringify({ pid: process.ppid, host: hostname(), id: 'x' }));
    expect(await other.take('a', GREEDY)).toBeUndefined();
    // On another machine nobody knows who lives: it shows signs of life, or it is gone.
    writeFileSync(path!, JSON.stringify({ pid: 1, host: 'elsewhere', id: 'x' }));
    expect(await other.take('a', GREEDY)).toBeUndefined();
    utimesSync(path!, new Date(1), new Date(1));
    (await other.take('a', GREEDY))!();
    writeFileSync(path!, JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), id: 'x' }));
    (await other.take('a', GREEDY))!();
    unlock!();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is none between processes where nothing can be written', async () => {
    writeFileSync(join(folder, 'file'), '');
    const locks = new FileLocks(join(folder, 'file', 'locks'));
    expect(await locks.take('a', GREEDY)).toBeDefined();
    mkdirSync(join(folder, 'x'));
  });

  it('gives back what a thread held when it has ended', async () => {
    const { port1, port2 } = new MessageChannel();
    const [locks, told] = [new FileLocks(folder), [] as string[]];
    const end = serveLocks(port1, locks, (why) => void told.push(why));
    const thread = new ThreadLocks(port2);
    expect(await thread.take('a', PATIENT)).toBeDefined();
    expect(await thread.take('a', GREEDY)).toBeUndefined();
    const unlock = await thread.take('b', PATIENT);
    unlock!();
    (await locks.take('b', PATIENT))!();
    const waiting = locks.take('a', PATIENT);
    end();
    expect(await waiting).toBeDefined();
  });
});
