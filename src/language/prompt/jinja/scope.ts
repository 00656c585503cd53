/** Names and their values, within the names around them. @module */
import type { Value } from './values.js';

export class Scope {
  readonly #values = new Map<string, Value>();
  readonly #outer: Scope | undefined;

  constructor(outer?: Scope) {
    this.#outer = outer;
  }

  get(name: string): Value {
    const value = this.#values.get(name);
    return value === undefined && !this.#values.has(name) ? this.#outer?.get(name) : value;
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }
}
