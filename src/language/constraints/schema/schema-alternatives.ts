/** Resolves a schema's combinations (`$ref`, allOf, anyOf, oneOf) into alternatives. @module */
import type { JsonSchema } from '../../../core/request/tool.js';
import type { Alternative } from './schema-context.js';
import { DisjointCheck } from './check-disjoint.js';
import type { Conformance } from './conformance.js';
import { type SchemaDocument, type SchemaNode, resolveReference } from '../../../core/schema/schema-document.js';
import { SchemaProblem } from '../../../core/schema/limits/schema-problem.js';

const MAX_ALTERNATIVES = 500;

/** Longest chain of references that apply to the same value. */
const MAX_CHAIN = 100;

/** The alternatives of all schemas of one document; those of each schema are found once. */
export class SchemaAlternatives {
  readonly #document: SchemaDocument;
  readonly #disjoint: DisjointCheck;
  readonly #known = new Map<SchemaNode, Alternative[]>();
  /** Schemas whose alternatives are being found: to meet one again means that it refers to itself. */
  readonly #open = new Set<SchemaNode>();
  /** Checks of `oneOf`s, put off until the alternatives are known. */
  readonly #unchecked: (() => void)[] = [];
  #checking = false;

  constructor(document: SchemaDocument, conformance: Conformance) {
    this.#document = document;
    this.#disjoint = new DisjointCheck(document, conformance, (schemas) => this.of(schemas));
  }

  /** The alternatives that satisfy all of `schemas`. None: nothing conforms. */
  of(schemas: readonly JsonSchema[]): Alternative[] {
    const combined = this.#combine(schemas);
    if (this.#checking) return combined;
    this.#checking = true;
    try {
      for (let check = this.#unchecked.pop(); check; check = this.#unchecked.pop()) check();
    } finally {
      this.#checking = false;
    }
    return combined;
  }

  #combine(schemas: readonly JsonSchema[]): Alternative[] {
    let combined: Alternative[] = [[]];
    for (const schema of schemas)
      combined = this.#both(combined, this.#expand(schema), typeof schema === 'object' ? schema : undefined);
    return combined;
  }

  #expand(schema: JsonSchema): Alternative[] {
    if (typeof schema === 'boolean') return schema ? [[]] : [];
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    if (this.#open.has(schema)) throw new SchemaProblem('refers back to itself', schema, '$ref');
    if (this.#open.size >= MAX_CHAIN)
      throw new SchemaProblem(`is part of a chain of more than ${MAX_CHAIN} schemas`, schema);
    this.#open.add(schema);
    const ways = this.#take(schema);
    this.#open.delete(schema);
    this.#known.set(schema, ways);
    return ways;
  }

  #take(schema: SchemaNode): Alternative[] {
    const { allOf, anyOf, oneOf } = schema as { [key: string]: JsonSchema[] | undefined };
    let ways: Alternative[] = [[schema]];
    if (schema['$ref'] !== undefined)
      ways = this.#both(ways, this.#expand(resolveReference(this.#document, schema)), schema);
    if (allOf !== undefined) ways = this.#both(ways, this.#combine(allOf), schema);
    if (anyOf !== undefined) ways = this.#both(ways, this.#each(anyOf, schema).flat(), schema);
    if (oneOf !== undefined) {
      const branches = this.#each(oneOf, schema);
      const base = ways;
      // The grammar writes any branch, so the branches must exclude each other.
      this.#unchecked.push(() => this.#disjoint.check(schema, base, branches));
      ways = this.#both(ways, branches.flat(), schema);
    }
    return ways;
  }

  #each(options: readonly JsonSchema[], schema: SchemaNode): Alternative[][] {
    let count = 0;
    return options.map((option) => {
      const ways = this.#expand(option);
      count += ways.length;
      if (count > MAX_ALTERNATIVES) throw tooMany(schema);
      return ways;
    });
  }

  /** All ways to satisfy one of `left` and one of `right` at once. */
  #both(left: readonly Alternative[], right: readonly Alternative[], schema: SchemaNode | undefined): Alternative[] {
    if (left.length * right.length > MAX_ALTERNATIVES) throw tooMany(schema);
    return left.flatMap((mine) => {
      const own = new Set(mine);
      return right.map((theirs) => {
        this.#document.work.spend(2 + mine.length + theirs.length);
        return [...mine, ...theirs.filter((node) => !own.has(node))];
      });
    });
  }
}

function tooMany(schema: SchemaNode | undefined): SchemaProblem {
  return new SchemaProblem(`has more than ${MAX_ALTERNATIVES} combinations`, schema);
}
