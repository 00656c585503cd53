/** The page's own service as the interfaces ask it: by `inference.fetch`, as any client would. @module */
import type { ModelStatus } from '../core/models/model-status.js';
import type { PageInference } from '../core/models/page-inference.js';
import { orAborted } from '../core/platform/reject-on-abort.js';
import { dictionary } from './idl.js';
import { answerError, loadError, notSupported } from './interface-error.js';
import { CONSTRUCTOR, Lifetime, signalOf } from './lifetime.js';
import { startMonitor } from './load-monitor.js';

/** What is used of a running service. */
export type Inference = Pick<PageInference, 'baseURL' | 'fetch' | 'load' | 'status' | 'stored' | 'subscribe'>;

export type Availability = 'unavailable' | 'downloadable' | 'downloading' | 'available';

/** Milliseconds for which it is known what is stored: `availability` is asked several times in a row. */
const STORED_KNOWN_MS = 1_000;

/** Backends whose models are nowhere to be loaded from. */
const WITHOUT_FILES: ReadonlySet<string> = new Set(['scripted', 'upstream']);

/** What the interfaces are installed with. */
export interface ServiceSettings {
  /** Catalog ids. */
  chat?: string | undefined;
  embeddings?: string | undefined;
  /** Canonical tags. */
  languages: readonly string[];
  apiKey?: string | undefined;
}

export class Service {
  readonly settings: ServiceSettings;
  /** Objects that were created and not destroyed. */
  readonly lifetimes = new Set<Lifetime>();
  readonly #inference: Inference;
  #stored: { at: number; ids: Promise<Set<string>> } | undefined;

  constructor(inference: Inference, settings: ServiceSettings) {
    this.#inference = inference;
    this.settings = settings;
  }

  statusOf(model: string): ModelStatus | undefined {
    return this.#inference.status().find(({ id }) => id === model);
  }

  /** The first speech model of the catalog, for chat models without ears. */
  get speechModel(): string | undefined {
    return this.#inference.status().find(({ task }) => task === 'speech-to-text')?.id;
  }

  async availability(model: string): Promise<Availability> {
    const status = this.statusOf(model);
    if (!status) return 'unavailable';
    const { state, backend } = status;
    if (state === 'ready' || state === 'busy' || WITHOUT_FILES.has(backend)) return 'available';
    if (state === 'loading') return 'downloading';
    return (await this.#storedIds()).has(model) ? 'available' : 'downloadable';
  }

  #storedIds(): Promise<Set<string>> {
    const at = performance.now();
    if (!this.#stored || at - this.#stored.at > STORED_KNOWN_MS) {
      const ids = this.#inference.stored().then(
        (models) => new Set(models.flatMap((each) => (each.complete ? each.models : []))),
        () => new Set<string>(),
      );
      this.#stored = { at, ids };
    }
    return this.#stored.ids;
  }

  /** Whether a chat model takes images. Before it was loaded the catalog's word counts. */
  async sees(model: string): Promise<boolean> {
    const images = this.statusOf(model)?.images;
    if (images !== undefined) return images;
    const answer = await this.#send(`/models/${encodeURIComponent(model)}?verbose=true`, { method: 'GET' });
    const { vendor_metadata: metadata } = (await answer.json()) as { vendor_metadata?: { capabilities?: string[] } };
    return metadata?.capabilities?.includes('vision') === true;
  }

  /**
   * What every `create` does: loads the model, tells `monitor`, and makes the object.
   * @param make the object; its lifetime ends with `signal`
   * @throws the signal's reason, what `monitor` throws, NetworkError or OperationError for a load that failed
   */
  async create<Made>(
    model: string,
    { monitor, ...options }: { monitor?: unknown; signal?: unknown },
    make: (lifetime: Lifetime, key: symbol) => Promise<Made> | Made,
  ): Promise<Made> {
    const signal = signalOf(options);
    signal?.throwIfAborted();
    const monitored = startMonitor(monitor);
    const lifetime = new Lifetime(this.lifetimes, signal);
    try {
      monitored?.tell(0);
      const loaded = this.load(model, (loadedBytes, totalBytes) => {
        if (!lifetime.signal.aborted) monitored?.tellPart(loadedBytes, totalBytes);
      });
      await orAborted(loaded, lifetime.signal);
      const made = await orAborted(Promise.resolve(make(lifetime, CONSTRUCTOR)), lifetime.signal);
      monitored?.tell(1);
      // Whoever hears of the last progress may abort there.
      lifetime.signal.throwIfAborted();
      return made;
    } catch (thrown) {
      lifetime.end(thrown);
      throw thrown;
    }
  }

  async load(model: string, onProgress: (loadedBytes: number, totalBytes: number) => void): Promise<void> {
    let isOver = false;
    const stop = this.#inference.subscribe(() => {
      const progress = isOver ? undefined : this.statusOf(model)?.progress;
      if (progress) onProgress(progress.loadedBytes, progress.totalBytes);
    });
    try {
      await this.#inference.load(model);
    } catch (thrown) {
      throw loadError(thrown);
    } finally {
      isOver = true;
      stop();
    }
  }

  /** @throws what {@link answerError} makes of another answer than 200 */
  async post<Answer>(path: string, body: object | FormData, signal?: AbortSignal): Promise<Answer> {
    const answer = await this.#post(path, body, signal);
    const json = (await answer.json()) as Answer & { error?: unknown };
    if (json.error !== undefined) throw answerError(answer.status, json);
    return json;
  }

  /** The data of the events. @throws the same, also for an error within the stream */
  async *stream<Chunk>(path: string, body: object, signal: AbortSignal): AsyncGenerator<Chunk> {
    const { body: bytes } = await this.#post(path, { ...body, stream: true }, signal);
    let rest = '';
    const reader = bytes!.pipeThrough(new TextDecoderStream()).getReader();
    try {
      for (;;) {
        const { done, value } = await orAborted(reader.read(), signal);
        const lines = (rest + (value ?? '')).split('\n');
        rest = lines.pop()!;
        for (const line of lines) {
          if (!line.startsWith('data: {')) continue;
          const chunk: unknown = JSON.parse(line.slice(6));
          if (dictionary(chunk)['error'] !== undefined) throw answerError(200, chunk);
          yield chunk as Chunk;
        }
        if (done) return;
      }
    } finally {
      // A caller that stops reading frees the engine.
      void reader.cancel().catch(() => {});
    }
  }

  /** The text of a recording, by the catalog's speech model. */
  async transcribe(recording: Blob): Promise<string> {
    const model = this.speechModel;
    if (model === undefined) throw notSupported('No model in the catalog accepts audio.');
    const form = new FormData();
    form.append('model', model);
    form.append('file', new File([recording], 'recording.wav', { type: 'audio/wav' }));
    return (await this.post<{ text: string }>('/audio/transcriptions', form)).text;
  }

  #post(path: string, body: object | FormData, signal?: AbortSignal): Promise<Response> {
    const isForm = body instanceof FormData;
    return this.#send(path, {
      method: 'POST',
      ...(!isForm && { headers: { 'content-type': 'application/json' } }),
      body: isForm ? body : JSON.stringify(body),
      ...(signal && { signal }),
    });
  }

  async #send(path: string, request: RequestInit): Promise<Response> {
    const { apiKey } = this.settings;
    const headers = {
      ...(request.headers as object),
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    };
    const { signal } = request;
    let answer: Response;
    try {
      answer = await this.#inference.fetch(this.#inference.baseURL + path, { ...request, headers });
    } catch {
      signal?.throwIfAborted();
      throw new DOMException('The service cannot be reached.', 'OperationError');
    }
    if (answer.ok) return answer;
    const text = await answer.text();
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      body = { error: text };
    }
    throw answerError(answer.status, body);
  }
}
