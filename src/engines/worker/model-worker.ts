/** Entry of a model worker: one engine, one model. The page makes it, the gateway talks to it. @module */
import type { Backend } from '../../core/models/backend.js';
import { InferenceError, toInferenceError } from '../../core/errors/inference-error.js';
import { providePageAudioDecoder, type PageAudioDecoder } from '../../sound/page-audio-decoder.js';
import { trustWorkersOfThisThread } from '../../core/errors/trusted-types.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import { serveControl } from '../../relay/control/control-channel.js';
import { ownLivenessLock } from '../../relay/liveness-lock.js';
import type { PlainLoadOptions, WorkerReady } from '../../relay/protocol.js';
import { fetchPart } from '../../core/errors/fetch-part.js';
import { serveModel } from './serve-model.js';

/** Offered by the model worker to its page. */
export interface ModelWorkerControl {
  /** Comes once: the gateway's port, and a decoder for what this worker's own codecs cannot read. */
  serve(port: MessagePort, decodeAudio: PageAudioDecoder): void;
  /**
   * May come before: begins what a load of one of these models would begin with, where its files are on this device.
   * @param entries of transformers.js or GGUF
   */
  prepare(entries: readonly ModelEntry[], options: PlainLoadOptions): Promise<void>;
}

/** Only the engine that is needed is fetched. */
async function loadBackend(entry: ModelEntry): Promise<Backend> {
  try {
    switch (entry.backend) {
      case 'gguf':
        return (await fetchPart(() => import('../gguf/gguf-backend.js'))).ggufBackend;
      case 'transformers':
        return (await fetchPart(() => import('../transformers/transformers-backend.js'))).transformersBackend;
      case 'web-llm':
        return (await fetchPart(() => import('../web-llm/web-llm-backend.js'))).webLlmBackend;
      case 'built-in':
        throw new InferenceError('model_not_supported', "Only a page can run the browser's built-in model.");
      case 'scripted':
        return (await fetchPart(() => import('../scripted/scripted-backend.js'))).scriptedBackend;
      case 'upstream':
        return (await fetchPart(() => import('../upstream/upstream-backend.js'))).upstreamBackend;
    }
  } catch (thrown) {
    throw engineMissing(thrown);
  }
}

/** An engine whose module fails while it starts, as an error for the caller. */
function engineMissing(thrown: unknown): InferenceError {
  const error = toInferenceError(thrown);
  if (error.code !== 'internal') return error;
  // Browsers name the file that is missing here.
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new InferenceError(
    'unavailable',
    `The engine of this model could not be loaded. ${reason}`,
    { retryAfter: 5, reason },
    { cause: thrown },
  );
}

const control: ModelWorkerControl = {
  serve(port, decodeAudio): void {
    providePageAudioDecoder(decodeAudio);
    serveModel(port, loadBackend);
  },
  async prepare(entries, options): Promise<void> {
    const entry = await (await import('../common/first-stored.js')).firstStored(entries, options);
    if (entry?.backend === 'gguf') await (await import('../gguf/gguf-backend.js')).prepareGguf();
    else if (entry) await (await import('../transformers/transformers-backend.js')).prepareTransformers(entry, options);
  },
};
trustWorkersOfThisThread();
serveControl(control);
const ready: WorkerReady = { type: 'ready', lifeline: await ownLivenessLock() };
globalThis.postMessage(ready);
