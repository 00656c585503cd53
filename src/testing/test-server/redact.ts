/** What the journal must not show. @module */
import { escapePattern } from '../../core/platform/escape-pattern.js';

const SECRET = '[secret]';

const SECRET_HEADERS = new Set(['proxy-authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'cookie']);
const SECRET_FIELDS = new Set(['key', 'api_key', 'api-key', 'token']);

/** Takes secrets out of texts, and of values in which texts are. */
export class Redactor {
  readonly #pattern: RegExp | undefined;

  /** @param secrets texts that must not be shown anywhere */
  constructor(secrets: readonly string[]) {
    const literals = [...new Set(secrets)]
      .filter((secret) => secret !== '')
      .toSorted((left, right) => right.length - left.length)
      .map(escapePattern);
    this.#pattern = literals.length === 0 ? undefined : new RegExp(literals.join('|'), 'g');
  }

  text(text: string): string {
    return this.#pattern ? text.replaceAll(this.#pattern, SECRET) : text;
  }

  /** A copy without secrets. */
  value(value: unknown): unknown {
    if (!this.#pattern) return value;
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((each) => this.value(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [this.text(key), this.value(each)]));
  }

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
