/** Entry of a model worker: one engine, one model. The page makes it, the gateway talks to it. @module */
import type { Backend } from '../core/models/backend.js';
import { providePageAudioDecoder, type PageAudioDecoder } from './media/page-audio-decoder.js';
import type { ModelEntry } from '../core/models/model-entry.js';
import { openControlLine } from '../relay/control/control-line.js';
import { ownLifeline } from '../relay/lifeline.js';
import type { WorkerReady } from '../relay/protocol.js';
import { engineMissing, serveModel } from './serve-model.js';

/** Only the engine that is needed is fetched. */
async function backendOf(entry: ModelEntry): Promise<Backend> {
  try {
    switch (entry.backend) {
      case 'transformers':
        return (await import('./engines/transformers/transformers-backend.js')).transformersBackend;
      case 'web-llm':
        return (await import('./engines/web-llm/web-llm-backend.js')).webLlmBackend;
      case 'scripted':
        return (await import('./engines/scripted/scripted-backend.js')).scriptedBackend;
      case 'upstream':
        return (await import('./engines/upstream/upstream-backend.js')).upstreamBackend;
    }
  } catch (thrown) {
    throw engineMissing(thrown);
  }
}

globalThis.addEventListener('message', (event: MessageEvent) => {
  const [port, decoder] = event.ports;
  if (decoder) {
    const ask = openControlLine<{ decode: PageAudioDecoder }>(decoder, {});
    providePageAudioDecoder((bytes) => ask('decode', bytes));
  }
  if (port) serveModel(port, backendOf);
});
const ready: WorkerReady = { type: 'ready', lifeline: await ownLifeline() };
globalThis.postMessage(ready);
