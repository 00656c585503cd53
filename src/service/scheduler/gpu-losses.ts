/** What follows when the GPU of a GGUF model is lost again and again. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { ModelInfo } from '../../core/models/backend.js';
import type { ModelEntry } from '../../core/models/model-entry.js';

/** So many losses within so many milliseconds are too many. */
const [MOST, WITHIN_MS] = [2, 10 * 60_000];
const WHY = 'the GPU was lost twice within ten minutes';

/** Of one model, until the page is loaded again. */
export class GpuLosses {
  readonly #now: () => number;
  #times: number[] = [];
  #isGivenUp = false;

  constructor(now = (): number => performance.now()) {
    this.#now = now;
  }

  /** A model was lost. */
  note({ backend }: Pick<ModelEntry, 'backend'>, { device }: Pick<ModelInfo, 'device'>): void {
    if (backend !== 'gguf' || device !== 'webgpu') return;
    const now = this.#now();
    this.#times = [...this.#times.filter((time) => now - time < WITHIN_MS), now];
    this.#isGivenUp ||= this.#times.length >= MOST;
  }

  /** Why it does not run on WebGPU; undefined: it may. */
  get reason(): string | undefined {
    return this.#isGivenUp ? `It does not run on WebGPU, because ${WHY}. Load the page again to try it.` : undefined;
  }

  /** The entry as it is loaded now. @throws InferenceError `unavailable` where it may not run on WASM */
  entryFor(entry: ModelEntry): ModelEntry {
    if (!this.#isGivenUp) return entry;
    if (entry.device !== 'webgpu') return { ...entry, device: 'wasm' };
    const message = `The model \`${entry.id}\` runs on WebGPU alone, and ${WHY}. Load the page again, or set \`device: "auto"\`.`;
    throw new InferenceError('unavailable', message, { reason: WHY });
  }
}
