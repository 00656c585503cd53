/** Resolves a schema's combinations (`$ref`, allOf, anyOf, oneOf) into alternatives. @module */
import type { JsonSchema } from '../../../core/request/tool.js';
import type { Alternative } from './schema-context.js';
import { BranchExclusion } from './branch-exclusion.js';
import type { Conformance } from './conformance.js';
import { type SchemaNode, resolveReference } from '../../../core/schema/schema-document.js';
import { SchemaProblem } from '../../../core/schema/limits/schema-problem.js';
import type { PatternedDocument } from './patterned-document.js';

const MAX_ALTERNATIVES = 500;

/** Longest chain of references that apply to the same value. */
const MAX_CHAIN = 100;

/** The branch of a `oneOf` that an alternative takes, and the alternatives of all branches. */
interface TakenBranch {
  schema: SchemaNode;
  index: number;
  branches: readonly (readonly Alternative[])[];
}

/** The alternatives of all schemas of one document; those of each schema are found once. */
export class SchemaAlternatives {
  readonly #document: PatternedDocument;
  readonly #exclusion: BranchExclusion;
  readonly #known = new Map<SchemaNode, Alternative[]>();
  readonly #combined = new Map<string, Alternative[]>();
  readonly #numbers = new Map<SchemaNode, number>();
  /** Schemas whose alternatives are being found: to meet one again means that it refers to itself. */
  readonly #open = new Set<SchemaNode>();
  /** Empty schemas that stand in alternatives for the branches that these take. */
  readonly #taken = new Map<SchemaNode, TakenBranch>();

  constructor(document: PatternedDocument, conformance: Conformance) {
    this.#document = document;
    this.#exclusion = new BranchExclusion(document, conformance, (schemas) => this.#combine(schemas));
  }

  /** The alternatives that satisfy all of `schemas`. None: nothing conforms. */
  of(schemas: readonly JsonSchema[]): Alternative[] {
    const key = schemas.map((each) => (typeof each === 'boolean' ? String(each) : this.#numberOf(each))).join('&');
    let found = this.#combined.get(key);
    if (found === undefined) this.#combined.set(key, (found = this.#exclusive(this.#combine(schemas))));
    return found;
  }

  #numberOf(node: SchemaNode): number {
    const number = this.#numbers.get(node) ?? this.#numbers.size;
    this.#numbers.set(node, number);
    return number;
  }

  /**
   * The alternatives without what other branches of their `oneOf`s allow as well. That is judged here, where an alternative
   * holds everything that is said of a value: a branch alone does not tell which members there are.
   */
  #exclusive(alternatives: readonly Alternative[]): Alternative[] {
    if (this.#taken.size === 0) return [...alternatives];
    const taken = new Map<Alternative, TakenBranch[]>();
    const written = new Map<SchemaNode, Alternative[][]>();
    for (const alternative of alternatives) {
      this.#document.work.spend(alternative.length);
      const own = alternative.flatMap((node) => this.#taken.get(node) ?? []);
      // One value cannot take two branches of one `oneOf`.
      if (new Set(own.map(({ schema }) => schema)).size < own.length) continue;
      taken.set(alternative, own);
      for (const { schema, index, branches } of own) {
        const ways = written.get(schema) ?? branches.map(() => []);
        written.set(schema, ways);
        ways[index]!.push(alternative);
      }
    }
    const comparable = new Map(
      [...written].map(([schema, ways]) => [schema, this.#exclusion.sharingValues(ways)] as const),
    );
    return [...taken].flatMap(([alternative, own]) =>
      own.reduce<readonly Alternative[]>(
        (ways, { schema, index, branches }) => {
          const others = comparable.get(schema)?.(index) ?? branches.keys();
          const excluded = [...others].flatMap((other) => (other === index ? [] : branches[other]!));
          return ways.flatMap((way) => this.#exclusion.without(way, excluded, schema));
        },
        [alternative],
      ),
    );
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
      const marked = branches.map((branch, index) => {
        const mark: SchemaNode = {};
        this.#taken.set(mark, { schema, index, branches });
        return branch.map((way): Alternative => [mark, ...way]);
      });
      ways = this.#both(ways, marked.flat(), schema);
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
