/** Bodies on their way into a page, which fetches them: what goes through the debugging protocol is text, and holds up all others. @module */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MAX_BODY_BYTES } from '../../core/request/max-body-bytes.js';

const FOLDER = '/inpage/bodies/';

/** Offers each body once, at an address that cannot be guessed. */
export class RequestBodies {
  readonly #requests = new Map<string, IncomingMessage>();

  /** @returns URL path of the body; not available after `withdraw` */
  offer(request: IncomingMessage): string {
    const path = FOLDER + randomUUID();
    this.#requests.set(path, request);
    return path;
  }

  /** Reads the rest and drops it: many clients read no answer before they have sent everything. */
  withdraw(path: string | undefined, request: IncomingMessage): void {
    if (path !== undefined) this.#requests.delete(path);
    request.resume();
  }

  /**
   * Sends a body that was offered as it comes in. One that is too large is cut where that shows, and the service refuses it
   * in the caller's dialect. One that breaks off breaks this off.
   * @returns whether there is one at this path
   */
  async send(path: string, response: ServerResponse): Promise<boolean> {
    const request = this.#requests.get(path);
    if (!request) return false;
    this.#requests.delete(path);
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).flushHeaders();
    let length = 0;
    for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += piece.length;
      if (!response.write(piece)) await drained(response);
      if (length > MAX_BODY_BYTES || response.destroyed) break;
    }
    response.end();
    return true;
  }
}

/** What is known of a body before it comes. */
export function announcedBody({ headers }: IncomingMessage): 'none' | 'some' | 'too-large' {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  if (Number(length ?? 0) > MAX_BODY_BYTES) return 'too-large';
  return Number(length ?? 0) > 0 || encoding !== undefined ? 'some' : 'none';
}

/** Resolves when the reader has read what it was sent, or has left. */
export async function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  await new Promise<void>((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
}
