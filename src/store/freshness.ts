/** Has a server another file by now than the one that is kept? @module */
import { absenceOf, etagOf } from './file-response.js';
import type { FileRecord } from './file-record.js';
import type { StoreEnvironment } from './store-environment.js';

/** Milliseconds that the checks of one model may take together. Whoever does not answer counts as out of reach. */
const CHECK_DEADLINE = 1_000;

/** Asks about the files of one model, all at once. When the server does not answer, what is kept is used. */
export class Freshness {
  readonly #environment: StoreEnvironment;
  #deadline: AbortSignal | undefined;
  #isOutOfReach = false;

  constructor(environment: StoreEnvironment) {
    this.#environment = environment;
  }

  /** The server says that it has another file, or none where one is kept, or one where none was. */
  async isStale(record: FileRecord): Promise<boolean> {
    this.#deadline ??= AbortSignal.timeout(CHECK_DEADLINE);
    if (this.#isOutOfReach || this.#deadline.aborted) return false;
    try {
      const now = await this.#environment.fetch(record.url, {
        method: 'HEAD',
        cache: 'no-cache',
        signal: this.#deadline,
      });
      if (record.state === 'absent') return now.ok && !absenceOf(now, record.file);
      return now.ok && isOther(record, now);
    } catch {
      this.#isOutOfReach = true;
      return false;
    }
  }
}

function isOther({ etag, modified }: FileRecord, now: Response): boolean {
  const nowEtag = etagOf(now);
  if (etag !== undefined && nowEtag !== undefined) return etag !== nowEtag;
  const nowModified = now.headers.get('last-modified');
  return modified !== undefined && nowModified !== null && modified !== nowModified;
}
