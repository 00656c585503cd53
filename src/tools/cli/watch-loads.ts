/** Shows on standard error what is fetched for the models of a server. @module */
import type { LoadProgress } from '../../core/models/load-progress.js';
import { printError } from './print.js';
import { ProgressBar } from './progress-bar.js';

/** A model whose files are being fetched. */
interface Fetching {
  bar: ProgressBar;
  /** Bytes of its files. */
  totals: Map<string, number>;
}

/** @returns to be told of all progress */
export function watchLoads(): (progress: LoadProgress) => void {
  const fetching = new Map<string, Fetching>();
  return (progress) => {
    const { model, file = '', stage, totalBytes } = progress;
    const known = fetching.get(model);
    if (stage !== 'download') {
      known?.bar.end();
      fetching.delete(model);
      return;
    }
    const isFromNetwork = progress.bytesPerSecond !== undefined || progress.waiting !== undefined;
    if (!known && !isFromNetwork) return;
    if (!known) printError(`inpage: fetching ${model}\n`);
    const { bar, totals } = known ?? { bar: new ProgressBar(process.stderr), totals: new Map<string, number>() };
    fetching.set(model, { bar, totals });
    totals.set(file, totalBytes);
    bar.expect([...totals.values()].reduce((sum, bytes) => sum + bytes, 0));
    bar.show(progress);
  };
}
