/** Requests of the app's pages that no reply of a scripted model fitted. @module */
import type { Request, Response } from 'playwright';
import { NO_REPLY_MATCHES } from '../../core/models/script.js';

/** A request that no reply fitted, and the error that the app got: it says why each of the nearest replies does not fit. */
export interface UnmatchedRequest {
  /** As the page sent it. */
  readonly request: Request;
  /** Of the error; it shows the request's last message. */
  readonly message: string;
}

/** Finds them among the answers. A body can only be read later than its answer is noted. */
export class Misses {
  readonly found: UnmatchedRequest[] = [];
  readonly #reading = new Set<Promise<void>>();

  /** Reads the answer if it may be one. */
  look(response: Response): void {
    if (response.status() !== 400) return;
    const reading = this.#read(response).finally(() => this.#reading.delete(reading));
    this.#reading.add(reading);
  }

  /** Resolves when all answers that were looked at have been read. */
  async read(): Promise<void> {
    await Promise.all(this.#reading);
  }

  async #read(response: Response): Promise<void> {
    // A page that was closed takes its bodies along.
    const text = await response.text().catch(() => '');
    const message = messageOf(text);
    if (message.startsWith(NO_REPLY_MATCHES)) this.found.push({ request: response.request(), message });
  }
}

/** In whatever shape the endpoint has. */
function messageOf(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: string | { message?: string } };
    return (typeof error === 'string' ? error : error?.message) ?? '';
  } catch {
    return '';
  }
}
