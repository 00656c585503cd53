/** What a tab asks of the engine besides HTTP: its state, and to load and unload models. @module */
import { proxy, type Remote } from 'comlink';
import { InferenceError } from '../core/errors/inference-error.js';
import type { LocalFile } from '../core/models/backend.js';
import type { FaultSettings } from '../core/models/fault-settings.js';
import type { LoadProgress, ScriptedEntry } from '../core/models/model-entry.js';
import type { ModelStatus } from '../core/models/model-status.js';
import type { StoredFiles, StoredResponses } from '../core/models/stored-model.js';
import { respondsWithin } from '../core/platform/settled-within.js';
import { pause } from '../core/platform/pause.js';
import type { ServiceControl, Snapshot } from '../service/service-control.js';
import type { PromptToCache } from '../service/cache-prompt.js';
import { ControlChannel } from '../relay/control/control-channel.js';
import { type Connect, closeCallPort } from '../relay/handshake.js';
import { ownLivenessLock } from '../relay/liveness-lock.js';
import type { CallerMessage } from '../relay/protocol.js';
import { CONNECT_TIMEOUT_MS, REQUEST_TIMING } from '../relay/stream/call-timing.js';

/** What a call says after `stop`: this client stays stopped, whatever is started later. */
export const STOPPED =
  '`stop()` was called on this `inference`. Call `startInference` again and use the object that it returns.';

/** Milliseconds until a lost engine is looked for again. */
const RETRY_DELAY_MS = 200;

type Ask<Result> = (engine: Remote<ServiceControl>, signal: AbortSignal) => Promise<Result>;

/**
 * Keeps a copy of the engine's state, from its construction until `stop`, across restarts and changes of host. Its
 * methods reject with the engine's InferenceError, or `unavailable` when there is no engine.
 */
export class ServiceClient {
  readonly #connect: Connect;
  readonly #onProgress: (progress: LoadProgress) => void;
  readonly #stopped = new AbortController();
  /** The browser keeps what is stored; undefined while it has not said. */
  #persistent: boolean | undefined;
  #models: ModelStatus[] = [];
  #onFirst: () => void = () => {};
  readonly #listeners = new Set<() => void>();
  /** Resolves when the engine has answered for the first time. */
  readonly ready: Promise<void>;

  constructor(connect: Connect, onProgress: (progress: LoadProgress) => void) {
    this.#connect = connect;
    this.#onProgress = onProgress;
    this.ready = new Promise((resolve) => (this.#onFirst = resolve));
    void this.#watch();
  }

  /** The state as the engine told it last. */
  status(): ModelStatus[] {
    const persistent = this.#persistent;
    return this.#models.map((model) => ({ ...model, persistent }));
  }

  /** Calls the listener after every change of the state. @returns ends it */
  subscribe(listener: () => void): () => void {
    if (this.#isStopped) console.warn(`inpage: ${STOPPED}`);
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  load(model: string): Promise<void> {
    return this.#run((engine) => engine.load(model));
  }

  unload(model: string): Promise<void> {
    return this.#run((engine) => engine.unload(model));
  }

  download(model: string, localFiles?: readonly LocalFile[], signal?: AbortSignal): Promise<void> {
    return this.#run((engine, stop) => engine.download(model, localFiles, stop), signal);
  }

  cachePrompt(model: string, prompt: PromptToCache): Promise<void> {
    return this.#run((engine, stop) => engine.cachePrompt(model, prompt, stop));
  }

  setFaults(settings: FaultSettings): Promise<void> {
    return this.#run((engine) => engine.setFaults(settings));
  }

  recorded(): Promise<ScriptedEntry[]> {
    return this.#call((engine) => engine.recorded(), this.#stopped.signal);
  }

  storedResponses(): Promise<StoredResponses> {
    return this.#call((engine) => engine.storedResponses(), this.#stopped.signal);
  }

  removeResponses(): Promise<void> {
    return this.#call((engine) => engine.removeResponses(), this.#stopped.signal);
  }

  storedFiles(): Promise<StoredFiles> {
    return this.#call((engine) => engine.storedFiles(), this.#stopped.signal);
  }

  removeFiles(): Promise<void> {
    return this.#call((engine) => engine.removeFiles(), this.#stopped.signal);
  }

  /** Ends the watch; calls that run reject. */
  stop(): void {
    this.#stopped.abort();
    this.#setModels([]);
  }

  get #isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      // It ends when the engine is gone or not there yet. Another one will answer, or the page's own deadlines end the wait.
      await this.#call((engine, stop) => engine.subscribe(proxy(this.#take), stop), signal).catch(() => {});
      await pause(RETRY_DELAY_MS, signal);
    }
  }

  readonly #take = ({ models, progress }: Snapshot): void => {
    if (this.#isStopped) return;
    this.#setModels(models);
    this.#onFirst();
    for (const each of progress) this.#report(each);
  };

  async #run(ask: Ask<ModelStatus[]>, signal: AbortSignal = this.#stopped.signal): Promise<void> {
    this.#setModels(await this.#call(ask, signal));
  }

  /** Each call finds the engine again, wherever it is now, through a port of its own that is closed afterwards. */
  async #call<Result>(ask: Ask<Result>, signal: AbortSignal): Promise<Result> {
    const channel = await this.#reach(signal);
    try {
      void closeWhenSilent(channel);
      return await channel.call(ask, signal);
    } finally {
      channel.close();
    }
  }

  async #reach(signal: AbortSignal): Promise<ControlChannel<ServiceControl>> {
    try {
      const gateway = await this.#connect(AbortSignal.any([signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]), true);
      const { port1, port2 } = new MessageChannel();
      const message: CallerMessage<never> = { type: 'control', lifeline: await ownLivenessLock() };
      gateway.port.postMessage(message, [port2]);
      closeCallPort(gateway.port);
      return new ControlChannel(port1, gateway.hello.lifeline);
    } catch (cause) {
      if (this.#isStopped) throw new InferenceError('unavailable', STOPPED, { permanent: true }, { cause });
      throw new InferenceError('unavailable', 'No inference engine can be reached.', { retryAfter: 1 }, { cause });
    }
  }

  #report(progress: LoadProgress): void {
    void import('./manage-models.js').then(
      async ({ requestPersistence }) => (this.#persistent = await requestPersistence(progress)),
    );
    callSafely(() => this.#onProgress(progress));
  }

  #setModels(models: ModelStatus[]): void {
    this.#models = models;
    for (const listener of this.#listeners) callSafely(listener);
  }
}

/** The app's mistake must not end the watch, nor stay unseen. */
function callSafely(listener: () => void): void {
  try {
    listener();
  } catch (thrown) {
    reportError(thrown);
  }
}

/** A gateway that is stuck still has its lifeline: its silence shows that no one will answer. */
async function closeWhenSilent(channel: ControlChannel<ServiceControl>): Promise<void> {
  const { beat, silentBeats } = REQUEST_TIMING;
  while (!channel.closed.aborted) {
    await pause(beat, channel.closed);
    if (channel.closed.aborted) return;
    const answer = channel.call((engine) => engine.ping());
    if (!(await respondsWithin(answer, { intervalMs: beat, attempts: silentBeats }))) channel.close();
  }
}
