/** How much the browser computes, whatever else the machine does. @module */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** Ticks by process id. */
export type ProcessorTimes = ReadonlyMap<number, number>;

/** What all processes that this one started have computed so far; empty where the system does not tell. */
export function processorTimes(): ProcessorTimes {
  if (!existsSync('/proc/self/stat')) return new Map();
  const stats = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? statOf(Number(name)) : []));
  const ours = new Set([process.pid]);
  for (let size = 0; size !== ours.size;) {
    size = ours.size;
    for (const { id, parent } of stats) if (ours.has(parent)) ours.add(id);
  }
  ours.delete(process.pid);
  return new Map(stats.filter(({ id }) => ours.has(id)).map(({ id, ticks }) => [id, ticks]));
}

/** Seconds between two looks, of the processes that are still there at the second. */
export function secondsBetween(before: ProcessorTimes, after: ProcessorTimes): number {
  let ticks = 0;
  for (const [id, now] of after) ticks += now - (before.get(id) ?? 0);
  return ticks / TICKS_PER_SECOND;
}

function statOf(id: number): { id: number; parent: number; ticks: number }[] {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return [{ id, parent: fields[1]!, ticks: fields[11]! + fields[12]! }];
  } catch {
    // It ended in between.
    return [];
  }
}
