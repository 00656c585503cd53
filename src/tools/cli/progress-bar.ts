/** How far a download is, on a terminal. @module */
import type { LoadProgress } from '../../core/models/load-progress.js';

/** Characters of the bar itself. */
const WIDTH = 24;
/** Below this no line is worth while. */
const SMALLEST = 1e6;

const WAITING: Record<NonNullable<LoadProgress['waiting']>, string> = {
  network: 'waiting for the network',
  retry: 'waiting to try again',
  'other-tab': 'waiting for another run that fetches the same file',
};

/** The part of a terminal's stream that is used. */
interface Terminal {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** A line on a terminal, or one for each tenth elsewhere. */
export class ProgressBar {
  readonly #terminal: Terminal;
  readonly #loaded = new Map<string, number>();
  #total = 0;
  #tenths = 0;
  #waiting: LoadProgress['waiting'];
  #isOpen = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Bytes of all files. */
  expect(total: number): void {
    this.#total = total;
  }

  show(progress: LoadProgress): void {
    this.#loaded.set(progress.file ?? '', progress.loadedBytes);
    const loaded = [...this.#loaded.values()].reduce((sum, bytes) => sum + bytes, 0);
    this.#tellWaiting(progress);
    if (this.#total < SMALLEST) return;
    const share = Math.min(1, loaded / this.#total);
    const line = `${bar(share)} ${facts(share, Math.min(loaded, this.#total), this.#total, progress)}`;
    const tenths = Math.floor(share * 10);
    if (this.#terminal.isTTY) this.#terminal.write(`\r${line}\u001B[K`);
    else if (tenths > this.#tenths) this.#terminal.write(`${line}\n`);
    this.#tenths = Math.max(this.#tenths, tenths);
    this.#isOpen = true;
  }

  /** In a line of its own where lines stay: nothing else would say why nothing comes. */
  #tellWaiting({ waiting, waitingReason }: LoadProgress): void {
    if (waiting !== undefined && waiting !== this.#waiting && !this.#terminal.isTTY) {
      const reason = waitingReason === undefined ? '' : ` (${waitingReason})`;
      this.#terminal.write(`${WAITING[waiting]}${reason}\n`);
    }
    this.#waiting = waiting;
  }

  /** Leaves the line. */
  end(): void {
    if (this.#isOpen && this.#terminal.isTTY) this.#terminal.write('\n');
    this.#isOpen = false;
  }
}

function bar(share: number): string {
  const full = Math.round(share * WIDTH);
  return `[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}]`;
}

function facts(share: number, loaded: number, total: number, progress: LoadProgress): string {
  const { bytesPerSecond, remainingSeconds, waiting } = progress;
  const rate = bytesPerSecond === undefined ? [] : [`${megabytes(bytesPerSecond)} MB/s`];
  const rest = remainingSeconds === undefined ? [] : [`${Math.ceil(remainingSeconds)} s left`];
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  const bytes = `${megabytes(loaded)} of ${megabytes(total)} MB`;
  return [percent, bytes, ...(waiting ? [WAITING[waiting]] : [...rate, ...rest])].join('  ');
}

/** With one digit behind the point. */
export function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
