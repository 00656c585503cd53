/** WebLLM's progress reports in the common shape. @module */
import type { InitProgressReport } from '@mlc-ai/web-llm';
import type { LoadProgress } from '../../../core/models/model-entry.js';

/** WebLLM says only in its text that it is waiting for files; how far those are, the store tells. */
const FETCHING = /fetch/i;

/**
 * Makes the callback for WebLLM: from the store to the GPU, then shaders.
 * @param totalBytes size of the weights; 0 when unknown
 */
export function progressReporter(
  model: string,
  totalBytes: number,
  onProgress: (progress: LoadProgress) => void,
): (report: InitProgressReport) => void {
  return ({ text }) => {
    if (!FETCHING.test(text)) onProgress({ model, stage: 'initialize', loadedBytes: totalBytes, totalBytes });
  };
}
