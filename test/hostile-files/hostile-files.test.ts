/** Model files are input too: each ends as what it is or with an error of its kind, within bounds of processor time. */
import { describe, expect, it } from 'vitest';
import { HOSTILE_FILES } from './hostile-files.js';

/** Seconds of processor time: far more than any of them takes, far less than a loop without end. */
const PATIENCE = 15;

describe('hostile model files', () => {
  it('are forty, with names of their own', () => {
    expect(new Set(HOSTILE_FILES.map(({ name }) => name)).size).toBe(40);
  });

  it.each(HOSTILE_FILES)('$name ends', ({ read, refused }) => {
    const started = process.cpuUsage();
    let thrown: unknown;
    try {
      read();
    } catch (error) {
      thrown = error;
    }
    const { user, system } = process.cpuUsage(started);
    expect(thrown === undefined ? !refused : thrown instanceof Error).toBe(true);
    expect((user + system) / 1e6).toBeLessThan(PATIENCE);
  });
});
