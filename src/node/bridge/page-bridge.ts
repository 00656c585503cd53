/** Carries HTTP exchanges into a page and back. @module */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Page } from 'playwright';
import { MAX_BODY_BYTES } from '../../core/request/max-body-bytes.js';
import { unavailableResponse } from '../../relay/stream/request-payload.js';
import { openHostPage } from '../static-files/host-files.js';
import type { CompatibilityName, InferenceOptions } from '../../core/models/inference-options.js';
import { answerInPage, type BridgedAnswer, cancelInPage } from './answer-in-page.js';

/** Methods whose requests a page makes without a body. */
const BODILESS = new Set(['GET', 'HEAD']);

/** The page's options; how it answers must be known here too. */
export type HostedOptions = InferenceOptions & { compatibility: CompatibilityName };

/** Carries HTTP requests of other programs into one open page, and the answers back. */
export class PageBridge {
  /** Absolute base of the service. */
  readonly baseURL: string;
  readonly #page: Page;
  readonly #responses = new Map<number, ServerResponse>();
  readonly #compatibility: CompatibilityName;
  #lastId = 0;

  private constructor(page: Page, baseURL: string, compatibility: CompatibilityName) {
    this.#page = page;
    this.#compatibility = compatibility;
    this.baseURL = baseURL;
  }

  /**
   * Opens the host page and starts the service on it.
   * @throws InferenceError of `startInference`, or Error of Playwright
   */
  static async open(page: Page, origin: string, options: HostedOptions): Promise<PageBridge> {
    const bridge = new PageBridge(page, await openHostPage(page, origin, options), options.compatibility);
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
    try {
      const { method = 'GET' } = request;
      const bytes = await readBody(request);
      const body = bytes.length > 0 && !BODILESS.has(method) ? bytes.toString('base64') : undefined;
      await this.#page.evaluate(answerInPage, { id, method, url, headers: headersOf(request), body });
      this.#responses.delete(id);
      response.end();
    } catch {
      this.#responses.delete(id);
      if (response.headersSent) response.destroy();
      else await sendUnavailable(response, url, this.#compatibility);
    }
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

/** The body. One that is too large is cut where that shows, and the service refuses it in the caller's dialect. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    pieces.push(piece);
    length += piece.length;
    if (length > MAX_BODY_BYTES) break;
  }
  // Many clients read no answer before they have sent everything.
  request.resume();
  return Buffer.concat(pieces);
}

function headersOf({ headers }: IncomingMessage): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
}

/** 503, as everywhere where no engine can answer. */
export async function sendUnavailable(
  response: ServerResponse,
  url: string,
  compatibility: CompatibilityName,
): Promise<void> {
  const answer = unavailableResponse(compatibility, url);
  response.writeHead(answer.status, [...answer.headers].flat()).end(await answer.text());
}

/** Resolves when the client has read what it was sent, or has left. */
async function drained(response: ServerResponse): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  over.abort();
}
