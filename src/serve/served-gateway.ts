/**
 * What answers the requests of `serve`: gateway and scheduler in this process. Models run here, in threads, or in a page where
 * only a page can run them.
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Catalog } from '../core/models/catalog.js';
import type { InferenceOptions } from '../core/models/inference-options.js';
import type { ModelEntry, ScriptedEntry } from '../core/models/model-entry.js';
import { tellDeviceMemory } from '../core/platform/device-memory.js';
import { settledWithin } from '../core/platform/settled-within.js';
import type { App } from '../service/http/app.js';
import { createService, type Service } from '../service/create-service.js';
import { createKeyRing, type KeyRing } from '../service/http/policy/api-key.js';
import { createMemoryCounterStore } from '../service/http/policy/counter-store.js';
import type { ModelHost } from '../service/scheduler/model-host.js';
import { resolveOptions } from '../page/resolve-options.js';
import type { PlainLoadOptions } from '../relay/protocol.js';
import { announcedBody, isLive, readBody, sendResponse, streamBody, toRequest } from './http/exchange.js';
import { loadInNode } from './models/load-in-node.js';
import { readPdfInNode } from './models/pdf-in-node.js';
import { machineMemory, ModelThreads } from './models/model-threads.js';
import { runsInNode, runsInProcess } from './models/runs-in-node.js';
import { BodyMemory, type BodyReservation, NoRoomForBody } from './body-memory.js';
import type { ModelsInPage } from './models-in-page.js';
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

/** Makes what runs models in a page: `ModelsInPage`, which needs Playwright. */
export type OpenPages = (...args: [load: PlainLoadOptions, requestTimeout: number]) => ModelsInPage;

/** See the module. */
export class ServedGateway {
  /** Absolute. */
  readonly baseURL: string;
  readonly #prefix: string;
  readonly #service: Service;
  readonly #app: App;
  readonly #threads: ModelThreads;
  readonly #pages: ModelsInPage | undefined;
  readonly #limits: ClientLimits;
  readonly #bodies: BodyMemory;
  readonly #keys: KeyRing;

  /**
   * @param origin of the server
   * @param openPages undefined: no model needs one
   * @throws InferenceError `invalid_request`, whose `param` is the option
   */
  constructor(origin: string, options: InferenceOptions, openPages?: OpenPages, limits: ClientLimits = LIMITS) {
    const pageURL = `${origin}/`;
    const { gateway, model } = resolveOptions({ ...options, serviceWorker: false }, { origin, pageURL });
    const { models, prefix, requestTimeout } = gateway;
    this.baseURL = origin + prefix;
    this.#prefix = prefix;
    this.#limits = limits;
    this.#bodies = new BodyMemory(limits.bodyBytes);
    this.#keys = createKeyRing(gateway.apiKeys);
    tellDeviceMemory(machineMemory());
    const load = { ...model, pageURL, assetsURL: new URL('inpage/', pageURL).href };
    const threads = (this.#threads = new ModelThreads(load, requestTimeout));
    const pages = (this.#pages = openPages?.(load, requestTimeout));
    const inNode: ModelHost = {
      start: (entry, watch) => (runsInProcess(entry) ? loadInNode(entry, watch, pageURL) : threads.start(entry, watch)),
    };
    const hostOf = (entry: ModelEntry): ModelHost => (pages && !runsInNode(entry) ? pages : inNode);
    const host: ModelHost = {
      start: (entry, watch) => hostOf(entry).start(entry, watch),
      fetchFiles: async (entry, watch) => hostOf(entry).fetchFiles?.(entry, watch),
    };
    this.#service = createService({
      options: gateway,
      catalog: new Catalog(models),
      host,
      counterStore: createMemoryCounterStore(),
      files: { readPdf: readPdfInNode },
      ...(pages && { modelStore: (inference) => pages.store({ models, load }, inference) }),
    });
    this.#app = this.#service.app(false);
  }

  /** The browser that runs models, with its version; undefined: there is none. */
  get browser(): string | undefined {
    return this.#pages?.browser;
  }

  /** Whether that runs in its sandbox; undefined where that is not known, and without a browser. */
  get sandbox(): boolean | undefined {
    return this.#pages?.sandbox;
  }

  /** Opens the page, where one is needed. @throws Error that says what to do (no browser) */
  async open(): Promise<void> {
    await this.#pages?.open();
  }

  /** Whether all models could be asked now. */
  isReady(): Promise<boolean> {
    return this.open().then(
      () => true,
      () => false,
    );
  }

  /**
   * Answers a request; never rejects.
   * @param url absolute, below the service's base
   */
  async answer(url: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const controller = new AbortController();
    // An answer that was sent whole has nothing to stop, and a signal that aborts costs more than all else of a short one.
    response.once('close', () => response.writableFinished || controller.abort());
    const reservation = this.#bodies.reserve();
    try {
      const body = await this.#bodyOf(request, url, reservation);
      if (body === 'late')
        return void response.writeHead(408, LATE_HEADERS).end('The body of the request arrived too slowly.');
      const answer = await this.#app.fetch(toRequest(request, { url, body, signal: controller.signal }));
      await sendResponse(answer, response, { readerPatienceMs: this.#limits.readingMs });
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
  async recorded(): Promise<ScriptedEntry[]> {
    return this.#service.recorded();
  }

  async close(): Promise<void> {
    await this.#service.stop();
    await Promise.all([this.#threads.close(), this.#pages?.close()]);
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

const LATE_HEADERS = { connection: 'close', 'content-type': 'text/plain; charset=utf-8' };
