/** What is known of pairs of a schema and a value. @module */
import type { SchemaNode } from '../../../core/schema/schema-document.js';

/** Values are told apart as `Map` does: texts and numbers by what they are, objects by which they are. */
export class PairSet<Known> {
  readonly #known = new Map<SchemaNode, Map<unknown, Known>>();

  has(schema: SchemaNode, value: unknown): boolean {
    return this.#known.get(schema)?.has(value) === true;
  }

  get(schema: SchemaNode, value: unknown): Known | undefined {
    return this.#known.get(schema)?.get(value);
  }

  set(schema: SchemaNode, value: unknown, known: Known): void {
    let values = this.#known.get(schema);
    if (values === undefined) this.#known.set(schema, (values = new Map()));
    values.set(value, known);
  }
}
