/** Why a schema cannot be turned into a grammar. @module */

/** Thrown below `check-json-schema.ts`, which turns it into an InferenceError with the place in the schema. */
export class SchemaProblem extends Error {
  override readonly name = 'SchemaProblem';
  /** The offending schema object, and the keyword in it. */
  readonly node: object | undefined;
  readonly keyword: string | undefined;

  constructor(message: string, node?: object, keyword?: string) {
    super(message);
    this.node = node;
    this.keyword = keyword;
  }
}
