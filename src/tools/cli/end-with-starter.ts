/** Ends a program with the one that started it: a server that outlives it keeps its port, and no one knows of it. @module */
import { readFileSync } from 'node:fs';

/** Milliseconds between two looks. */
const LOOK_INTERVAL_MS = 1_000;

/**
 * Calls once when the process's parent is gone. Processes that have none from the beginning (started by `init`, `systemd` or
 * `setsid --fork`, or as the first of a container) are left alone.
 */
export function endWithStarter(end: () => void, look = LOOK_INTERVAL_MS): void {
  const begun = starters();
  if (begun.length === 0) return;
  const timer = setInterval(() => {
    const now = starters();
    if (begun.every((id, index) => now[index] === id)) return;
    clearInterval(timer);
    end();
  }, look);
  timer.unref();
}

/** The parent, and its own where it is only the shell in between that `npx` starts. */
function starters(): number[] {
  const { ppid } = process;
  if (ppid <= 1) return [];
  const above = parentOfShell(ppid);
  return above === undefined ? [ppid] : [ppid, above];
}

/** Where the system tells it. */
function parentOfShell(id: number): number | undefined {
  try {
    const [program = '', flag] = readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0');
    if (!/(^|\/)(da|ba)?sh$/.test(program) || flag !== '-c') return undefined;
    const status = readFileSync(`/proc/${id}/status`, 'utf8');
    const [, parent] = /^PPid:\s*(\d+)/m.exec(status) ?? [];
    return parent === undefined ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}
