/** What the journal must not show. @module */
import { Redactor } from '../../core/models/redactor.js';

const SECRET = '[secret]';

const SECRET_HEADERS = new Set(['proxy-authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'cookie']);
const SECRET_FIELDS = new Set(['key', 'api_key', 'api-key', 'token']);

/** Takes secrets out of an entry: known ones wherever they stand, and what headers and query fields say of who asks. */
export class EntryRedactor extends Redactor {
  headers(headers: Record<string, string>): Record<string, string> {
    const shown = Object.entries(headers).map(([name, value]) => [name, this.#header(name, value)]);
    return Object.fromEntries(shown) as Record<string, string>;
  }

  query(query: Record<string, string>): Record<string, string> {
    const shown = Object.entries(query).map(([name, value]) => [
      name,
      SECRET_FIELDS.has(name.toLowerCase()) ? SECRET : this.text(value),
    ]);
    return Object.fromEntries(shown) as Record<string, string>;
  }

  #header(name: string, value: string): string {
    if (SECRET_HEADERS.has(name)) return SECRET;
    if (name !== 'authorization') return this.text(value);
    const [, scheme] = /^(\S+)\s+\S/.exec(value) ?? [];
    return scheme === undefined ? SECRET : `${scheme} ${SECRET}`;
  }
}
