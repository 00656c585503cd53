/** How much the browser computed, whatever else the machine does. @module */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Seconds of all processes that this one started; undefined where the system does not tell. */
export function processorSeconds(): number | undefined {
  if (!existsSync('/proc/self/stat')) return undefined;
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const fields = stat
          .slice(stat.lastIndexOf(')') + 2)
          .split(' ')
          .map(Number);
        return [{ id: Number(name), parent: fields[1]!, ticks: fields[11]! + fields[12]! }];
      } catch {
        return [];
      }
    });
  const ours = new Set([process.pid]);
  for (let size = 0; size !== ours.size;) {
    size = ours.size;
    for (const { id, parent } of stats) if (ours.has(parent)) ours.add(id);
  }
  ours.delete(process.pid);
  return stats.reduce((sum, { id, ticks }) => sum + (ours.has(id) ? ticks : 0), 0) / 100;
}
