/** The error of a schema that cannot become a grammar. @module */

/** `withSchemaErrors` turns it into an InferenceError that names the path in the schema. */
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

  /** The same problem of a schema's keyword. */
  at(node: object | undefined, keyword: string | undefined): SchemaProblem {
    return new SchemaProblem(this.message, node, keyword);
  }
}

/** The result of `make`; a SchemaProblem that has no keyword yet gets this one. */
export function atKeyword<T>(node: object | undefined, keyword: string | undefined, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof SchemaProblem && error.node === undefined) throw error.at(node, keyword);
    throw error;
  }
}
