/** One service per page: a second start with other options would fight with the first. @module */
import { InferenceError } from '../core/errors/inference-error.js';
import { differentOptions, type OptionTexts } from './engine-group.js';

/** The page may hold several copies of the library. */
const RUNNING = Symbol.for('inpage.running');
const page = globalThis as { [RUNNING]?: Set<OptionTexts> };

/**
 * Notes that a service with these options runs on this page.
 * @returns to be called when it has stopped
 * @throws InferenceError `invalid_request` that names the options in which one that runs differs
 */
export function occupyPage(options: OptionTexts): () => void {
  const running = (page[RUNNING] ??= new Set());
  for (const other of running) {
    const names = differentOptions(options, other);
    if (names.length > 0) {
      throw new InferenceError(
        'invalid_request',
        `Inference runs on this page with other options already (\`${names.join('`, `')}\`). Call its \`stop()\` first.`,
        { param: names[0]! },
      );
    }
  }
  running.add(options);
  return () => void running.delete(options);
}
