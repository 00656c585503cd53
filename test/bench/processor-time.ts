/** What the renderers of the browsers that this process started have used so far. */
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in hundredths of a second and memory in pages. */
const TICKS = 100;
const PAGE_BYTES = 4096;

export interface Usage {
  /** Processor seconds; they tell what work costs on a busy machine too. */
  seconds: number;
  /** Resident memory. */
  bytes: number;
}

interface Process extends Usage {
  parent: number;
}

/** Reads `/proc`; throws where there is none. */
export function rendererUsage(): Usage {
  const total: Usage = { seconds: 0, bytes: 0 };
  for (const { seconds, bytes } of renderers().values()) {
    total.seconds += seconds;
    total.bytes += bytes;
  }
  return total;
}

/** The most memory that each renderer has taken since it began, together. */
export function peakRendererBytes(): number {
  let bytes = 0;
  for (const id of renderers().keys()) {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${id}/status`, 'latin1')) ?? [];
    bytes += Number(kilobytes) * 1024;
  }
  return bytes;
}

function renderers(): Map<number, Usage> {
  const processes = new Map<number, Process>();
  for (const name of readdirSync('/proc')) {
    const process = /^\d+$/.test(name) ? readProcess(name) : undefined;
    if (process) processes.set(Number(name), process);
  }
  return new Map([...processes].filter(([id]) => isOurs(id, processes) && isRenderer(id)));
}

function readProcess(id: string): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'latin1');
    // The name, in brackets, may contain anything.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return {
      parent: fields[1]!,
      seconds: (fields[11]! + fields[12]!) / TICKS,
      bytes: fields[21]! * PAGE_BYTES,
    };
  } catch {
    return undefined;
  }
}

function isOurs(id: number, processes: ReadonlyMap<number, Process>): boolean {
  let above: number | undefined = id;
  while (above !== undefined && above !== 0 && above !== process.pid) above = processes.get(above)?.parent;
  return above === process.pid;
}

function isRenderer(id: number): boolean {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'latin1').includes('--type=renderer');
  } catch {
    return false;
  }
}
