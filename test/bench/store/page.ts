/** Loads the large model; the runner measures from outside. */
import { startInference } from 'inpage';
import { askWorker } from '../ask-worker.js';

/** Milliseconds of a load. */
export type LoadEngine = (engine: 'ours' | 'bare') => Promise<number>;

const HUB = `${location.origin}/bench-hub/`;
const MODEL = 'owner/large';

const load: LoadEngine = async (engine) => {
  const start = performance.now();
  if (engine === 'ours') {
    const inference = await startInference({
      models: [{ id: 'm', task: 'chat', backend: 'transformers', source: MODEL, device: 'wasm', dtype: 'q8' }],
      hub: HUB,
      serviceWorker: false,
    });
    await inference.load('m');
  } else {
    const worker = new Worker(new URL('./bare-worker.ts', import.meta.url), { type: 'module' });
    await askWorker(worker, { origin: location.origin, hub: HUB, model: MODEL });
  }
  return performance.now() - start;
};

Object.assign(window, { bench: load });
