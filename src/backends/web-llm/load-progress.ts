/** WebLLM's progress reports in the common shape. @module */
import type { InitProgressReport } from '@mlc-ai/web-llm';
import type { LoadProgress } from '../../models/model-entry.js';

/** WebLLM says only in its text which phase it is in. */
const FETCHING = /^fetching param/i;
/** From the cache to the GPU; the first thing to report when nothing had to be fetched. */
const FILLING = /^loading model from cache/i;

/**
 * Makes the callback for WebLLM. It counts weights twice (network to cache, cache to GPU); here bytes only grow: the
 * second count is part of `initialize` when there was a first.
 * @param totalBytes size of the weights; 0 when unknown
 */
export function progressReporter(
  model: string,
  totalBytes: number,
  onProgress: (progress: LoadProgress) => void,
): (report: InitProgressReport) => void {
  let fetched = false;
  return ({ progress, text }) => {
    fetched ||= FETCHING.test(text);
    const share = Number.isFinite(progress) ? Math.min(1, Math.max(0, progress)) : 0;
    const reading = FETCHING.test(text) || (FILLING.test(text) && !fetched);
    // Before the first weights nothing is read yet, whatever WebLLM calls it.
    if (!reading && !fetched && share === 0) return;
    onProgress({
      model,
      stage: reading ? 'download' : 'initialize',
      loadedBytes: reading ? Math.round(share * totalBytes) : totalBytes,
      totalBytes,
    });
  };
}
