/** What reading a file costs: processor time and memory at its highest. */
import { readFileSync, writeFileSync } from 'node:fs';

/** Seconds of processor time: far more than any of them takes, far less than a loop without end. */
export const MOST_SECONDS = 15;

/** Bytes that this process may take more while it reads one. */
export const MOST_BYTES = 1e9;

export interface Cost {
  thrown: unknown;
  /** Of processor time. */
  seconds: number;
  /** That the process took more than before, at its highest. */
  bytes: number;
}

export async function costOf(read: () => unknown): Promise<Cost> {
  const before = process.memoryUsage.rss();
  forgetPeak();
  const started = process.cpuUsage();
  let thrown: unknown;
  try {
    await read();
  } catch (error) {
    thrown = error;
  }
  const { user, system } = process.cpuUsage(started);
  return { thrown, seconds: (user + system) / 1e6, bytes: Math.max(0, peakBytes() - before) };
}

/** Linux counts the highest use of memory anew from here; elsewhere it is that since the process started. */
function forgetPeak(): void {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {}
}

function peakBytes(): number {
  try {
    return 1024 * Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1]);
  } catch {
    return 1024 * process.resourceUsage().maxRSS;
  }
}
