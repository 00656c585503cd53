/** Checks whether alternatives exclude each other. @module */
import type { JsonSchema } from '../../../core/request/tool.js';
import { type Alternative, tightest } from './schema-context.js';
import { canonicalText } from './canonical-text.js';
import type { Conformance } from './conformance.js';
import { type ObjectMembers, objectMembers } from './object-members.js';
import type { SchemaType } from '../../../core/schema/schema-keywords.js';
import { schemaAt } from './array-grammar.js';
import { allowedTypes, writtenTypes } from './schema-types.js';
import type { PatternedDocument } from './patterned-document.js';

/** Depth to which nested members are compared; branches that differ only below it count as overlapping. */
const MAX_DEPTH = 4;

/** Steps that comparing two branches costs. */
const PAIR = 4;

/** What is known of an alternative. `listed`: its values, and maybe more. */
export interface Facts {
  written: ReadonlySet<SchemaType>;
  allowed: ReadonlySet<SchemaType>;
  listed: readonly unknown[] | undefined;
  members?: ObjectMembers;
  tags?: readonly string[];
  /** Of members by name: the values that the schemas list for them, as text. */
  listedMembers: Map<string, ReadonlySet<string> | undefined>;
}

/** Compares the alternatives of one document. */
export class DisjointCheck {
  readonly #document: PatternedDocument;
  readonly #conformance: Conformance;
  readonly #alternativesOf: (schemas: readonly JsonSchema[]) => Alternative[];
  readonly #facts = new Map<Alternative, Facts>();

  constructor(
    document: PatternedDocument,
    conformance: Conformance,
    alternativesOf: (schemas: readonly JsonSchema[]) => Alternative[],
  ) {
    this.#document = document;
    this.#conformance = conformance;
    this.#alternativesOf = alternativesOf;
  }

  /**
   * Where all branches list their values, or those of one required member: the branches that share a value with a
   * branch. All others exclude it.
   */
  sharingValues(written: readonly (readonly Alternative[])[]): ((branch: number) => ReadonlySet<number>) | undefined {
    const first = written.find((ways) => ways.length > 0)?.[0];
    if (first === undefined) return undefined;
    for (const name of [undefined, ...this.#tagsOf(first)]) {
      const values = written.map((ways) => this.#valuesOf(ways, name));
      if (values.includes(undefined)) continue;
      const owners = new Map<string, Set<number>>();
      values.forEach((own, branch) => {
        this.#document.work.spend(own!.length);
        for (const value of own!) owners.set(value, (owners.get(value) ?? new Set()).add(branch));
      });
      return (branch) => new Set(values[branch]!.flatMap((value) => [...owners.get(value)!]));
    }
    return undefined;
  }

  /** All values that the alternatives list (for the member `name`) as canonical text; undefined when one lists none. */
  #valuesOf(ways: readonly Alternative[], name: string | undefined): string[] | undefined {
    const values: string[] = [];
    for (const way of ways) {
      const { listed } = this.factsOf(way);
      const own =
        name === undefined
          ? listed?.map((value) => canonicalText(value, this.#document.work))
          : this.#tagsOf(way).includes(name) && this.#listedMember(way, name);
      if (!own) return undefined;
      values.push(...own);
    }
    return values;
  }

  /** The required members with listed values of alternatives that are written as objects only. */
  #tagsOf(alternative: Alternative): readonly string[] {
    const facts = this.factsOf(alternative);
    const isObject = facts.listed === undefined && facts.written.size === 1 && facts.written.has('object');
    facts.tags ??= isObject
      ? [...this.membersOf(alternative).required].filter((name) => this.#listedMember(alternative, name))
      : [];
    return facts.tags;
  }

  /** Whether a value that is written for `mine` may conform to `theirs`. True when in doubt. */
  mayConform(mine: Alternative, theirs: Alternative, depth: number = 0): boolean {
    this.#document.work.spend(PAIR);
    if (depth > MAX_DEPTH) return true;
    const [own, other] = [this.factsOf(mine), this.factsOf(theirs)];
    if (this.#apartByMember(mine, theirs)) return false;
    const listed = own.listed ?? other.listed;
    if (listed !== undefined) {
      const both = [...mine, ...theirs];
      return listed.some((value) => both.every((node) => this.#conformance.conformsAlone(value, node)));
    }
    return [...own.written].some((type) => {
      if (!allowsType(other.allowed, type)) return false;
      if (type === 'number' || type === 'integer') return rangesMeet(mine, theirs);
      if (type === 'object') return this.#objectsMayConform(mine, theirs, depth);
      return type !== 'array' || this.#arraysMayConform(mine, theirs, depth);
    });
  }

  #arraysMayConform(mine: Alternative, theirs: Alternative, depth: number): boolean {
    const both = [...mine, ...theirs];
    const least = tightest(both, 'minItems', 'largest') ?? 0;
    if (least > (tightest(both, 'maxItems', 'smallest') ?? Infinity)) return false;
    return least === 0 || this.firstItemsMeet(mine, theirs, depth);
  }

  /** Whether the first item that is written for `mine` may be one of `theirs`. */
  firstItemsMeet(mine: Alternative, theirs: Alternative, depth: number = 0): boolean {
    const [own, others] = [mine, theirs].map((each) => each.flatMap((node) => schemaAt(node, 0)));
    return this.valuesMeet(own!, others!, depth);
  }

  /** Whether a value of all `mine` may be one of all `theirs`. */
  valuesMeet(mine: readonly JsonSchema[], theirs: readonly JsonSchema[], depth: number = 0): boolean {
    const [own, others] = [this.#alternativesOf(mine), this.#alternativesOf(theirs)];
    return own.some((value) => others.some((other) => this.mayConform(value, other, depth + 1)));
  }

  /** The usual and quickest test: a required member for which the two list different values. */
  #apartByMember(mine: Alternative, theirs: Alternative): boolean {
    return this.#tagsOf(mine).some((name) => {
      const [left, right] = [this.#listedMember(mine, name)!, this.#listedMember(theirs, name)];
      return right !== undefined && ![...left].some((value) => right.has(value));
    });
  }

  #listedMember(alternative: Alternative, name: string): ReadonlySet<string> | undefined {
    const { listedMembers } = this.factsOf(alternative);
    if (listedMembers.has(name)) return listedMembers.get(name);
    let listed: ReadonlySet<string> | undefined;
    for (const node of alternative) {
      const properties = (node['properties'] ?? {}) as Record<string, JsonSchema>;
      const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const values = typeof member === 'object' ? listedValues([member]) : undefined;
      this.#document.work.spend(1);
      if (values !== undefined) listed ??= new Set(values.map((value) => canonicalText(value, this.#document.work)));
    }
    listedMembers.set(name, listed);
    return listed;
  }

  #objectsMayConform(mine: Alternative, theirs: Alternative, depth: number): boolean {
    const [written, wanted] = [this.membersOf(mine), this.membersOf(theirs)];
    for (const name of wanted.required) {
      if (!written.declared.has(name) && written.extra.length === 0) return false;
    }
    for (const name of new Set([...written.required, ...wanted.required])) {
      const own = written.declared.get(name);
      if (own !== undefined && !this.valuesMeet(own, demandedOf(theirs, wanted, name), depth)) return false;
    }
    return true;
  }

  membersOf(alternative: Alternative): ObjectMembers {
    const facts = this.factsOf(alternative);
    return (facts.members ??= objectMembers(this.#document, alternative));
  }

  factsOf(alternative: Alternative): Facts {
    let facts = this.#facts.get(alternative);
    if (facts === undefined) {
      this.#document.work.spend(20 * alternative.length);
      facts = {
        written: writtenTypes(alternative),
        allowed: allowedTypes(alternative),
        listed: listedValues(alternative),
        listedMembers: new Map(),
      };
      this.#facts.set(alternative, facts);
    }
    return facts;
  }
}

function listedValues(alternative: Alternative): unknown[] | undefined {
  for (const node of alternative) {
    if (Object.hasOwn(node, 'const')) return [node['const']];
    if (Array.isArray(node['enum'])) return node['enum'];
  }
  return undefined;
}

function rangesMeet(mine: Alternative, theirs: Alternative): boolean {
  const both = [...mine, ...theirs];
  const low = tightest(both, 'minimum', 'largest') ?? -Infinity;
  const lowOpen = tightest(both, 'exclusiveMinimum', 'largest') ?? -Infinity;
  const high = tightest(both, 'maximum', 'smallest') ?? Infinity;
  const highOpen = tightest(both, 'exclusiveMaximum', 'smallest') ?? Infinity;
  return low <= high && lowOpen < highOpen && low < highOpen && lowOpen < high;
}

/** Whether a value of the type may be of one of these. */
export function allowsType(allowed: ReadonlySet<SchemaType>, type: SchemaType): boolean {
  if (allowed.has(type)) return true;
  return (type === 'integer' && allowed.has('number')) || (type === 'number' && allowed.has('integer'));
}

/**
 * What an alternative demands of a member. `objectMembers` closes objects with listed properties; JSON Schema does not, so
 * of a member that is not declared the schemas decide.
 */
export function demandedOf(alternative: Alternative, members: ObjectMembers, name: string): JsonSchema[] {
  const declared = members.declared.get(name);
  if (declared !== undefined) return declared;
  return alternative.flatMap((node) => {
    const additional = node['additionalProperties'] as JsonSchema | undefined;
    return node['patternProperties'] === undefined && additional !== undefined ? [additional] : [];
  });
}
