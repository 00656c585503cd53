/** Carries HTTP exchanges into a page and back. @module */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Page } from 'playwright';
import { MAX_BODY_BYTES } from '../../core/request/max-body-bytes.js';
import type { ScriptedEntry } from '../../core/models/model-entry.js';
import { askPage, type HostWindow, openHostPage } from '../static-files/host-files.js';
import type { CompatibilityName, InferenceOptions } from '../../core/models/inference-options.js';
import { answerInPage, type BridgedAnswer, cancelInPage } from './answer-in-page.js';
import { announcedBody, drained, type RequestBodies } from './request-bodies.js';
import { sendUnavailable } from './send-unavailable.js';

/** Methods whose requests a page makes without a body. */
const BODILESS = new Set(['GET', 'HEAD']);

/** Methods that a page may not ask with. The service knows none of them, and refuses this one in the same words. */
const FORBIDDEN = new Set(['TRACE', 'TRACK', 'CONNECT']);
const UNKNOWN_METHOD = 'UNKNOWN';

/** The page's options; how it answers must be known here too. */
export type HostedOptions = InferenceOptions & { compatibility: CompatibilityName };

interface BridgeSettings {
  compatibility: CompatibilityName;
  bodies: RequestBodies;
}

/** Carries HTTP requests of other programs into one open page, and the answers back. */
export class PageBridge {
  /** Absolute base of the service. */
  readonly baseURL: string;
  readonly #page: Page;
  readonly #responses = new Map<number, ServerResponse>();
  readonly #compatibility: CompatibilityName;
  readonly #bodies: RequestBodies;
  #lastId = 0;

  private constructor(page: Page, baseURL: string, { compatibility, bodies }: BridgeSettings) {
    this.#page = page;
    this.#compatibility = compatibility;
    this.#bodies = bodies;
    this.baseURL = baseURL;
  }

  /**
   * Opens the host page and starts the service on it.
   * @param bodies served on the page's origin
   * @throws InferenceError of `startInference`, or Error of Playwright
   */
  static async open(page: Page, origin: string, options: HostedOptions, bodies: RequestBodies): Promise<PageBridge> {
    const baseURL = await openHostPage(page, origin, options);
    const bridge = new PageBridge(page, baseURL, { compatibility: options.compatibility, bodies });
    await page.exposeFunction('inpageBridge', (answer: BridgedAnswer) => bridge.#deliver(answer));
    return bridge;
  }

  /**
   * Answers a client. Never rejects: without a page the answer is 503, and a stream that breaks off is torn down.
   * @param url absolute, below the service's base
   */
  async forward(url: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = ++this.#lastId;
    this.#responses.set(id, response);
    response.on('close', () => {
      if (this.#responses.delete(id)) void this.#page.evaluate(cancelInPage, id).catch(() => {});
    });
    const method = FORBIDDEN.has(request.method ?? '') ? UNKNOWN_METHOD : (request.method ?? 'GET');
    const announced = BODILESS.has(method) ? 'none' : announcedBody(request);
    const path = announced === 'some' ? this.#bodies.offer(request) : undefined;
    try {
      const body = announced === 'too-large' ? MAX_BODY_BYTES + 1 : path;
      if (path === undefined) request.resume();
      await this.#page.evaluate(answerInPage, { id, method, url, headers: collectHeaders(request), body });
      this.#responses.delete(id);
      response.end();
    } catch {
      this.#responses.delete(id);
      if (response.headersSent) response.destroy();
      else
        await sendUnavailable(response, {
          url,
          compatibility: this.#compatibility,
          prefix: new URL(this.baseURL).pathname,
        });
    } finally {
      this.#bodies.withdraw(path, request);
    }
  }

  /** What the page has recorded. @throws Error with the page's message */
  recorded(): Promise<ScriptedEntry[]> {
    return askPage(this.#page, () => (window as unknown as HostWindow).inference.recorded(), undefined);
  }

  async #deliver(answer: BridgedAnswer): Promise<void> {
    const response = this.#responses.get(answer.id);
    if (!response) return;
    if (answer.type === 'head') {
      response.writeHead(answer.status, answer.headers.flat());
      response.flushHeaders();
    } else if (!response.write(Buffer.from(answer.bytes, 'base64'))) {
      // A client that does not read holds up the model, and one that leaves lets it go.
      await drained(response);
    }
  }
}

function collectHeaders({ headers }: IncomingMessage): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
}
