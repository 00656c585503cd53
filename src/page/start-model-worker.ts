/** Makes model workers, and connects them with a gateway. @module */
import { proxy, transfer } from 'comlink';
import { InferenceError, toInferenceError } from '../core/errors/inference-error.js';
import { withTrustedWorkers } from '../core/errors/trusted-types.js';
import { ownInterfaces } from '../core/platform/own-interfaces.js';
import type { PageAudioDecoder } from '../sound/page-audio-decoder.js';
import type { ModelWorkerControl } from '../engines/worker/model-worker.js';
import { ControlChannel } from '../relay/control/control-channel.js';
import { startWorker } from './start-worker.js';

// Bundlers know `new Worker(new URL(…))` by its letters.
const makeModelWorker = (): Worker =>
  withTrustedWorkers(
    () =>
      new Worker(new URL('../engines/worker/model-worker.ts', import.meta.url), {
        type: 'module',
        name: 'inpage-model',
      }),
  );

/** A model worker whose script runs. */
export interface StartedModelWorker {
  lifeline: string | undefined;
  control: ControlChannel<ModelWorkerControl>;
}

/** As `startWorker`. Rejects with InferenceError `unavailable`. */
export async function startModelWorker(
  take: (worker: Worker) => void,
  isWanted: () => boolean,
): Promise<StartedModelWorker> {
  const { worker, lifeline } = await startWorker(makeModelWorker, take, isWanted);
  return { lifeline, control: new ControlChannel<ModelWorkerControl>(worker, lifeline) };
}

/** What the gateway is told of a worker that did not start. */
export function spawnError(thrown: unknown): InferenceError {
  const { message, details } = toInferenceError(thrown);
  return new InferenceError('unavailable', message, { ...details, retryAfter: 5, reason: message });
}

/** Serves the models that only this page can run. @returns as `serveInPage` */
export async function startPageModel(port: MessagePort): Promise<() => void> {
  const { serveInPage } = await import('../engines/worker/serve-in-page.js').catch((thrown: unknown) => {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new InferenceError('unavailable', 'The engine of this model could not be loaded.', { reason });
  });
  return serveInPage(port, ownInterfaces);
}

/** Gives the gateway's port to a worker. @returns the other end, for the gateway */
export async function openModelPort({ control }: StartedModelWorker): Promise<MessagePort> {
  const { port1, port2 } = new MessageChannel();
  await control.call((model) => model.serve(transfer(port2, [port2]), proxy(decodeAudio)));
  return port1;
}

/** Hz; any will do, the caller resamples. */
const DECODED_RATE = 48_000;

/** For workers whose own codecs cannot read a recording: `decodeAudioData` exists in pages only. */
const decodeAudio: PageAudioDecoder = async (bytes) => {
  const context = new OfflineAudioContext(1, 1, DECODED_RATE);
  const audio = await context.decodeAudioData(bytes.slice().buffer);
  const channels = Array.from({ length: audio.numberOfChannels }, (_, index) => audio.getChannelData(index));
  return transfer(
    { channels, sampleRate: audio.sampleRate },
    channels.map((channel) => channel.buffer),
  );
};
