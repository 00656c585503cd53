/** WebLLM's progress reports in the common shape. @module */
import type { InitProgressReport } from '@mlc-ai/web-llm';
import type { LoadProgress } from '../../models/model-entry.js';

/** WebLLM says only in its text which phase it is in. Fetching and filling the GPU are counted in weights. */
const READING_WEIGHTS = /^(start to fetch|fetching param|loading model from cache)/i;

/**
 * Makes the callback for WebLLM.
 * @param totalBytes size of the weights; 0 when unknown
 */
export function progressReporter(
  model: string,
  totalBytes: number,
  onProgress: (progress: LoadProgress) => void,
): (report: InitProgressReport) => void {
  return ({ progress, text }) => {
    const share = Number.isFinite(progress) ? Math.min(1, Math.max(0, progress)) : 0;
    const reading = READING_WEIGHTS.test(text);
    onProgress({
      model,
      stage: reading ? 'download' : 'initialize',
      loadedBytes: reading ? Math.round(share * totalBytes) : totalBytes,
      totalBytes,
    });
  };
}
