/** What a tab asks of the engine besides HTTP: its state, and to load and unload models. @module */
import { finalizer, releaseProxy, type Remote } from 'comlink';
import { cancelled } from '../core/errors/inference-error.js';
import type { LocalFile } from '../core/models/backend.js';
import type { FaultSettings } from '../core/models/fault-settings.js';
import type { LoadProgress, ScriptedEntry } from '../core/models/model-entry.js';
import type { StoredFiles, StoredResponses } from '../core/models/stored-model.js';
import type { ModelStatus } from '../core/models/model-status.js';
import { orAborted } from '../core/platform/reject-on-abort.js';
import { serveControl } from '../relay/control/control-channel.js';
import { onPeerDeath } from '../relay/liveness-lock.js';
import type { Service } from './create-service.js';
import type { ControlledInference } from './scheduler/inference.js';
import type { PromptToCache } from './cache-prompt.js';

/** Offered by the gateway to each tab. Those that change models resolve with the models' state, and reject with InferenceError. */
export interface ServiceControl {
  load(model: string): Promise<ModelStatus[]>;
  unload(model: string): Promise<ModelStatus[]>;
  /** Brings a model's files into the store. */
  download(model: string, localFiles: readonly LocalFile[] | undefined, signal: AbortSignal): Promise<ModelStatus[]>;
  /** Reads a prompt and keeps it on the device. */
  cachePrompt(model: string, prompt: PromptToCache, signal: AbortSignal): Promise<ModelStatus[]>;
  setFaults(settings: FaultSettings): Promise<ModelStatus[]>;
  /** What was recorded. Rejects with InferenceError `invalid_request` where nothing is. */
  recorded(): ScriptedEntry[];
  /** How much is stored of responses. */
  storedResponses(): Promise<StoredResponses>;
  /** Removes all of it. */
  removeResponses(): Promise<void>;
  /** How much is stored of files. */
  storedFiles(): Promise<StoredFiles>;
  /** Removes all of them, and all vector stores. */
  removeFiles(): Promise<void>;
  /** Calls the listener now and after every change, until the signal aborts. */
  subscribe(listener: SnapshotListener, signal: AbortSignal): Promise<void>;
  /** Does nothing: an answer shows that the gateway is not stuck. */
  ping(): void;
}

/** The models' state, and the load progress reported since the last snapshot. */
export interface Snapshot {
  models: ModelStatus[];
  progress: LoadProgress[];
}

/** Resolves when it is ready for the next snapshot. */
type SnapshotListener = (snapshot: Snapshot) => void | Promise<void>;

/** What control calls are about. */
export interface ControlledParts {
  service: Pick<Service, 'faults' | 'fileStorage' | 'recorded' | 'responseStorage'> & {
    inference: ControlledInference;
  };
  /** Reads a prompt and keeps it on the device. */
  cachePrompt: (model: string, prompt: PromptToCache, signal: AbortSignal) => Promise<void>;
}

/** Answers the control calls of one tab, until its port is closed or the tab has ended. */
export function serveServiceControl(
  port: MessagePort,
  lifeline: string | undefined,
  { service, cachePrompt }: ControlledParts,
): void {
  const { inference } = service;
  const closed = new AbortController();
  const { signal } = closed;
  const end = (): void => {
    closed.abort(cancelled());
    port.close();
  };
  onPeerDeath(lifeline, end, signal);
  port.addEventListener('close', end, { signal });
  const control: ServiceControl & { [finalizer]: () => void } = {
    async load(model) {
      await inference.load(model);
      return inference.status();
    },
    async unload(model) {
      await inference.unload(model);
      return inference.status();
    },
    async download(model, localFiles, stop) {
      await inference.fetchFiles(model, { localFiles, signal: AbortSignal.any([stop, signal]) });
      return inference.status();
    },
    async cachePrompt(model, prompt, stop) {
      await cachePrompt(model, prompt, AbortSignal.any([stop, signal]));
      return inference.status();
    },
    async setFaults(settings) {
      service.faults.set(settings);
      return inference.status();
    },
    recorded: () => service.recorded(),
    storedResponses: () => service.responseStorage.usage(),
    removeResponses: () => service.responseStorage.clear(),
    storedFiles: () => service.fileStorage.usage(),
    removeFiles: () => service.fileStorage.clear(),
    async subscribe(listener, stop) {
      const remote = listener as Remote<SnapshotListener>;
      const either = AbortSignal.any([stop, signal]);
      try {
        for await (const snapshot of snapshots(inference, either)) await orAborted(remote(snapshot), either);
      } finally {
        remote[releaseProxy]();
      }
    },
    ping() {},
    [finalizer]: end,
  };
  serveControl(control, port);
}

/** A snapshot now and after every change; a slow reader gets fewer of them, but always the latest. */
async function* snapshots(inference: ControlledInference, signal: AbortSignal): AsyncGenerator<Snapshot> {
  let progress = new Map<string, LoadProgress>();
  let changed = true;
  let wake = (): void => {};
  const stopListening = inference.onChange((report) => {
    // Reports of one file replace each other, so that a slow reader does not make them pile up.
    if (report) progress.set(JSON.stringify([report.model, report.file, report.stage]), report);
    changed = true;
    wake();
  });
  const onAbort = (): void => wake();
  signal.addEventListener('abort', onAbort);
  try {
    while (!signal.aborted) {
      if (changed) {
        changed = false;
        const reports = [...progress.values()];
        progress = new Map();
        yield { models: inference.status(), progress: reports };
      } else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    stopListening();
    signal.removeEventListener('abort', onAbort);
  }
}
