/** What `open-page-side.ts` calls in its page. */
import { askWorker } from '../bench/ask-worker.js';
import type { SpeedAnswer, SpeedOrder } from './speed-worker.js';

const worker = new Worker(new URL('./speed-worker.ts', import.meta.url), { type: 'module' });
const ask = (order: SpeedOrder): Promise<SpeedAnswer> => askWorker(worker, order);

/** Of the page's global object. */
export interface SpeedPage {
  ask: typeof ask;
}

Object.assign(globalThis, { ask } satisfies SpeedPage);
