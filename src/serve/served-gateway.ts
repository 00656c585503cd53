/**
 * What answers the requests of `serve`: gateway and scheduler in this process. Models run here, or in threads.
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Catalog } from '../core/models/catalog.js';
import type { InferenceOptions } from '../core/models/inference-options.js';
import { InferenceError } from '../core/errors/inference-error.js';
import type { LoadProgress, ModelEntry, ScriptedEntry } from '../core/models/model-entry.js';
import { tellDeviceMemory } from '../core/platform/device-memory.js';
import { settledWithin } from '../core/platform/settled-within.js';
import type { App } from '../service/http/app.js';
import { createService, type Service } from '../service/create-service.js';
import { createKeyRing, type KeyRing } from '../service/http/policy/api-key.js';
import { createMemoryCounterStore } from '../service/http/policy/counter-store.js';
import type { ModelHost } from '../service/scheduler/model-host.js';
import { resolveOptions } from '../page/resolve-options.js';
import { announcedBody, isLive, readBody, sendResponse, streamBody, toRequest } from './http/exchange.js';
import { corsHeaders } from './http/cors.js';
import { loadInNode } from './models/load-in-node.js';
import { readPdfInNode } from './models/pdf-in-node.js';
import { machineMemory, ModelThreads } from './models/model-threads.js';
import { cacheFolder } from './models/cache-folder.js';
import { DiskModels } from './models/disk-models.js';
import { withDiskSources } from './models/disk-sources.js';
import { DiskStorage } from './models/disk-storage.js';
import { needsPage, runsInProcess } from './models/runs-in-node.js';
import { BodyMemory, type BodyReservation, NoRoomForBody } from './body-memory.js';
import { warn, warnOnce } from './operator-log.js';
import { type PromptCacheBounds, promptCacheBounds } from './prompt-cache-bounds.js';
import { sendUnavailable } from './send-unavailable.js';

/** What clients may take. */
interface ClientLimits {
  /** Milliseconds for a whole body. Speech that is sent while it is spoken may take longer: the gateway ends it after a gap. */
  uploadMs: number;
  /** Milliseconds for reading 64 KiB of what it was sent. */
  readingMs: number;
  /** Bytes of all bodies that are being read or answered. */
  bodyBytes: number;
}

const LIMITS: ClientLimits = { uploadMs: 60_000, readingMs: 60_000, bodyBytes: 512 * 1024 * 1024 };

/** The operations whose body is heard while it comes. */
const SPEECH_PATH = /\/audio\/(?:transcriptions|translations)$/;

export type { PromptCacheBounds } from './prompt-cache-bounds.js';

/** What a server brings. */
interface ServedGatewayParts {
  limits?: ClientLimits;
  /** Told how far each model's loading is. */
  onProgress?: ((progress: LoadProgress) => void) | undefined;
}

/** See the module. */
export class ServedGateway {
  /** Absolute. */
  readonly baseURL: string;
  /** How much memory prompts that may be continued take at most. */
  readonly promptCache: PromptCacheBounds;
  readonly #prefix: string;
  readonly #service: Service;
  readonly #app: App;
  readonly #threads: ModelThreads;
  readonly #limits: ClientLimits;
  readonly #bodies: BodyMemory;
  readonly #keys: KeyRing;

  /**
   * @param origin of the server
   * @throws InferenceError `invalid_request`, whose `param` is the option
   */
  constructor(origin: string, options: InferenceOptions, { limits = LIMITS, onProgress }: ServedGatewayParts = {}) {
    const pageURL = `${origin}/`;
    const { gateway, model } = resolveOptions({ ...options, serviceWorker: false }, { origin, pageURL, hasDisk: true });
    const { prefix, requestTimeout } = gateway;
    // Those of bundled models are known by now.
    const { models } = withDiskSources(gateway, process.cwd());
    this.baseURL = origin + prefix;
    this.#prefix = prefix;
    this.#limits = limits;
    this.#bodies = new BodyMemory(limits.bodyBytes);
    this.#keys = createKeyRing(gateway.apiKeys);
    tellDeviceMemory(machineMemory());
    this.promptCache = promptCacheBounds(models);
    const load = { ...model, pageURL, prefixCacheBytes: this.promptCache.max_bytes_per_model };
    const threads = (this.#threads = new ModelThreads({
      load,
      requestTimeout,
      cacheFolder: cacheFolder(),
      onCacheRefused: (why) => warn(`${why}.`),
    }));
    const host: ModelHost = {
      start: async (entry, watch) => {
        const lack = needsPage(entry);
        if (lack !== undefined) throw notHere(entry, lack);
        return runsInProcess(entry) ? loadInNode(entry, watch, pageURL) : threads.start(entry, watch);
      },
      fetchFiles: async (entry, watch) => {
        if (!runsInProcess(entry) && needsPage(entry) === undefined) await threads.fetchFiles(entry, watch);
      },
    };
    for (const entry of models) {
      const lack = needsPage(entry);
      if (lack !== undefined) warn(notHere(entry, lack).message);
    }
    this.#service = createService({
      options: gateway,
      catalog: new Catalog(models),
      host,
      counterStore: createMemoryCounterStore(),
      files: { readPdf: readPdfInNode },
      modelStore: (inference) =>
        new DiskModels({
          models,
          load: { pageURL, ...(model.hub !== undefined && { hub: model.hub }) },
          storage: new DiskStorage(cacheFolder()),
          locks: threads.locks,
          unload: (id) => inference.unload(id),
        }),
      onFailure: (id, { message }) => warnOnce(message.includes(`\`${id}\``) ? message : `${id}: ${message}`),
    });
    if (onProgress) this.#service.inference.onChange((progress) => progress && onProgress(progress));
    this.#app = this.#service.app(false);
  }

  /**
   * Answers a request; never rejects.
   * @param url absolute, below the service's base
   * @param page origin of the page that asks; undefined: a program asks
   */
  async answer(url: string, request: IncomingMessage, response: ServerResponse, page?: string): Promise<void> {
    const controller = new AbortController();
    // An answer that was sent whole has nothing to stop, and a signal that aborts costs more than all else of a short one.
    response.once('close', () => response.writableFinished || controller.abort());
    const reservation = this.#bodies.reserve();
    try {
      const body = await this.#bodyOf(request, url, reservation);
      if (body === 'late')
        return void response.writeHead(408, LATE_HEADERS).end('The body of the request arrived too slowly.');
      const answer = await this.#app.fetch(toRequest(request, { url, body, signal: controller.signal }));
      await sendResponse(answer, response, {
        readerPatienceMs: this.#limits.readingMs,
        ...(page !== undefined && { headers: corsHeaders(page, [...answer.headers.keys()]) }),
      });
    } catch (thrown) {
      const busy = { url, compatibility: this.#service.compatibility, prefix: this.#prefix };
      if (thrown instanceof NoRoomForBody) await sendUnavailable(response, busy);
      else response.destroy();
    } finally {
      reservation.release();
      // Many clients read no answer before they have sent everything.
      request.resume();
    }
  }

  /** What was recorded. @throws InferenceError `invalid_request` without the option `record` */
  recorded(): ScriptedEntry[] {
    return this.#service.recorded();
  }

  async close(): Promise<void> {
    await this.#service.stop();
    await this.#threads.close();
  }

  /** Whether the caller has a key, where one is needed: others shall not fill the memory with bodies. */
  #isKnown(request: IncomingMessage): Promise<boolean> {
    const { authorization, 'x-api-key': key } = request.headers;
    const headers = new Headers();
    if (authorization !== undefined) headers.set('authorization', authorization);
    if (key !== undefined) headers.set('x-api-key', String(key));
    return this.#keys.identify(headers).then(
      () => true,
      () => false,
    );
  }

  /** The body; nothing of a caller without a key, or of one that says itself that it is too large, because both are refused anyway. */
  async #bodyOf(
    request: IncomingMessage,
    url: string,
    reservation: BodyReservation,
  ): Promise<Parameters<typeof toRequest>[1]['body'] | 'late'> {
    if (announcedBody(request) !== 'some' || !(await this.#isKnown(request))) return undefined;
    if (isLive(request) && SPEECH_PATH.test(new URL(url).pathname)) return streamBody(request);
    const body = readBody(request, (bytes) => reservation.take(bytes));
    // What breaks off after its time is of no interest.
    body.catch(() => {});
    const whole = await settledWithin(body, this.#limits.uploadMs);
    return whole ? streamOf(whole) : 'late';
  }
}

/** A Request that is given bytes copies them. */
function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

/** The error of a model that only a page can run. @param lack what a page has and Node has not */
function notHere({ id, backend }: ModelEntry, lack: string): InferenceError {
  const reason = `\`${id}\` (${backend}) needs ${lack}, which only a page has. Run it in your app, or in a page of the package \`playwright\` by \`inpage/playwright\`.`;
  return new InferenceError('insufficient_resources', reason, { reason, param: 'model' });
}

const LATE_HEADERS = { connection: 'close', 'content-type': 'text/plain; charset=utf-8' };
