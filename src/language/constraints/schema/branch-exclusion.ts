/**
 * What is left of one branch of a `oneOf` when values that another branch allows are taken away. A grammar has no "but not",
 * so the rest is written as alternatives: without a member, with another one, below or above a range, strings without some.
 * @module
 */
import type { JsonSchema } from '../../../core/request/tool.js';
import { SchemaProblem } from '../../../core/schema/limits/schema-problem.js';
import { FORMAT_HINT, type SchemaNode } from '../../../core/schema/schema-document.js';
import { keptFormat } from '../../../core/schema/formats.js';
import type { SchemaType } from '../../../core/schema/schema-keywords.js';
import { allowsType, demandedOf, DisjointCheck } from './check-disjoint.js';
import type { Conformance } from './conformance.js';
import { type Alternative, EXCLUDED, tightest } from './schema-context.js';
import type { PatternedDocument } from './patterned-document.js';

/** Most alternatives that one becomes. */
const MAX_PIECES = 500;

/** Members inside members whose values are taken apart. */
const MAX_DEPTH = 3;

/** Most numbers that are left out of a range, each of which splits it. */
const MAX_LEFT_OUT = 64;

/** Keywords of schemas that demand members only. The schemas that they combine stand for themselves. */
const COVERING = ['type', 'required', '$ref', 'allOf', 'anyOf', '$defs', 'definitions'];

/** Takes branches of one document's `oneOf`s away from others. */
export class BranchExclusion {
  readonly #document: PatternedDocument;
  readonly #conformance: Conformance;
  readonly #alternativesOf: (schemas: readonly JsonSchema[]) => readonly Alternative[];
  readonly #disjoint: DisjointCheck;

  constructor(
    document: PatternedDocument,
    conformance: Conformance,
    alternativesOf: (schemas: readonly JsonSchema[]) => Alternative[],
  ) {
    this.#document = document;
    this.#conformance = conformance;
    this.#alternativesOf = alternativesOf;
    this.#disjoint = new DisjointCheck(document, conformance, alternativesOf);
  }

  /** See {@link DisjointCheck.sharingValues}. */
  sharingValues(written: readonly (readonly Alternative[])[]): ReturnType<DisjointCheck['sharingValues']> {
    return this.#disjoint.sharingValues(written);
  }

  /**
   * An alternative without the values of others. Of listed values nothing is taken away: each is validated when it is
   * written.
   * @throws SchemaProblem when what is left cannot be written
   */
  without(mine: Alternative, others: readonly Alternative[], oneOf: SchemaNode): readonly Alternative[] {
    if (this.#disjoint.factsOf(mine).listed !== undefined) return [mine];
    let rest: readonly Alternative[] = [mine];
    for (const theirs of others) {
      let isLost = false;
      rest = rest.flatMap((each) => {
        const left = this.#minus(each, theirs, 0);
        isLost ||= left === undefined;
        return left ?? [];
      });
      if ((rest.length === 0 && isLost) || rest.length > MAX_PIECES) {
        throw new SchemaProblem(
          'has branches that one value could match at once; use `anyOf`, or give each branch a required property with its own `const`',
          oneOf,
          'oneOf',
        );
      }
    }
    return rest;
  }

  /** `mine` without the values of `theirs`; undefined: there may be some, but none that could be written. */
  #minus(mine: Alternative, theirs: Alternative, depth: number): Alternative[] | undefined {
    if (!this.#disjoint.mayConform(mine, theirs)) return [mine];
    const { written } = this.#disjoint.factsOf(mine);
    const { allowed } = this.#disjoint.factsOf(theirs);
    const apart = [...written].filter((type) => !allowsType(allowed, type));
    const rest: Alternative[] = apart.length > 0 ? [[...mine, { type: apart }]] : [];
    let isCovered = true;
    for (const type of written) {
      if (apart.includes(type)) continue;
      const own = written.size === 1 ? mine : [...mine, { type }];
      const left = this.#disjoint.mayConform(own, theirs) ? this.#minusOfType(own, theirs, type, depth) : [own];
      isCovered &&= left.length > 0 || (type === 'object' && this.#isCovered(own, theirs));
      rest.push(...left);
    }
    return rest.length === 0 && !isCovered ? undefined : rest;
  }

  /** Whether `theirs` demands nothing but members that all objects of `mine` have: no value takes this branch alone. */
  #isCovered(mine: Alternative, theirs: Alternative): boolean {
    const { required } = this.#disjoint.membersOf(mine);
    return (
      theirs.every((node) => Object.keys(node).every((keyword) => COVERING.includes(keyword))) &&
      [...this.#disjoint.membersOf(theirs).required].every((name) => required.has(name))
    );
  }

  #minusOfType(mine: Alternative, theirs: Alternative, type: SchemaType, depth: number): Alternative[] {
    const listed = this.#disjoint
      .factsOf(theirs)
      .listed?.filter((value) => [...mine, ...theirs].every((node) => this.#conformance.conformsAlone(value, node)));
    const conditions = this.#conditions(mine, theirs, type, { listed, depth });
    return conditions.map((condition) => [...mine, condition]);
  }

  /** Schemas that hold for a value of this type only if `theirs` does not. @param listed the values of `theirs` */
  #conditions(
    mine: Alternative,
    theirs: Alternative,
    type: SchemaType,
    { listed, depth }: { listed: readonly unknown[] | undefined; depth: number },
  ): SchemaNode[] {
    switch (type) {
      case 'null':
        return this.#others([null], theirs);
      case 'boolean':
        return this.#others([true, false], theirs);
      case 'integer':
      case 'number':
        return listed ? between(listed) : outside(theirs);
      case 'string':
        if (listed) return [{ [EXCLUDED]: [[{ enum: listed }]] }];
        return theirs.some(restrictsStrings) ? [{ [EXCLUDED]: [theirs] }] : [];
      case 'array':
        return listed ? otherLengths(listed) : this.#otherArrays(mine, theirs);
      case 'object':
        return listed ? [] : this.#otherObjects(mine, theirs, depth);
    }
  }

  #others(values: readonly unknown[], theirs: Alternative): SchemaNode[] {
    const others = values.filter((value) => !theirs.every((node) => this.#conformance.conforms(value, node)));
    return others.length === 0 ? [] : [{ enum: others }];
  }

  #otherArrays(mine: Alternative, theirs: Alternative): SchemaNode[] {
    const least = tightest(theirs, 'minItems', 'largest') ?? 0;
    const most = tightest(theirs, 'maxItems', 'smallest');
    return [
      ...(least > 0 ? [{ maxItems: least - 1 }] : []),
      ...(most === undefined ? [] : [{ minItems: most + 1 }]),
      ...(this.#disjoint.firstItemsMeet(mine, theirs) ? [] : [{ minItems: 1 }]),
    ];
  }

  /** Objects that lack a member of `theirs`, or have one with another value. */
  #otherObjects(mine: Alternative, theirs: Alternative, depth: number): SchemaNode[] {
    const [written, wanted] = [this.#disjoint.membersOf(mine), this.#disjoint.membersOf(theirs)];
    const conditions: SchemaNode[] = [];
    for (const name of wanted.required) {
      if (!written.required.has(name)) conditions.push({ properties: { [name]: false } });
    }
    const least = tightest(theirs, 'minProperties', 'largest') ?? 0;
    const most = tightest(theirs, 'maxProperties', 'smallest');
    if (least > 0) conditions.push({ maxProperties: least - 1 });
    if (most !== undefined) conditions.push({ minProperties: most + 1 });
    for (const [name, own] of written.declared) {
      const demanded = this.#isNameOf(theirs, name) ? demandedOf(theirs, wanted, name) : [false];
      this.#document.work.spend(4);
      if (demanded.length === 0) continue;
      if (!this.#disjoint.valuesMeet(own, demanded)) {
        // A member that cannot be there cannot be demanded.
        if (this.#alternativesOf(own).length > 0) conditions.push({ required: [name] });
        continue;
      }
      const value = this.#otherValue(own, demanded, depth);
      if (value !== undefined) conditions.push({ required: [name], properties: { [name]: value } });
    }
    return conditions;
  }

  #isNameOf(alternative: Alternative, name: string): boolean {
    return alternative.every((node) => this.#conformance.conforms(name, (node['propertyNames'] ?? true) as JsonSchema));
  }

  /** A schema for values of `mine` that are not all of `theirs`; undefined: it cannot be written. */
  #otherValue(mine: readonly JsonSchema[], theirs: readonly JsonSchema[], depth: number): SchemaNode | undefined {
    const [own, ...more] = this.#alternativesOf(mine);
    if (own === undefined) return undefined;
    const ways = [own, ...more];
    const listed = ways.map((way) => this.#disjoint.factsOf(way).listed);
    if (!listed.includes(undefined)) {
      const others = listed.flat().filter((value) => !theirs.every((each) => this.#conformance.conforms(value, each)));
      return others.length === 0 ? undefined : { enum: others };
    }
    if (more.length > 0 || depth >= MAX_DEPTH) return undefined;
    let rest: readonly Alternative[] = [own];
    for (const other of this.#alternativesOf(theirs)) {
      rest = rest.flatMap((each) => this.#minus(each, other, depth + 1) ?? []);
    }
    // The schemas of the member hold anyway, so only what was added is written.
    const added = rest.map((each) => ({ allOf: each.slice(own.length) }));
    return added.length === 0 || added.length > MAX_PIECES ? undefined : { anyOf: added };
  }
}

/** Numbers between, below and above listed ones. */
function between(listed: readonly unknown[]): SchemaNode[] {
  const numbers = listed.filter((value) => typeof value === 'number').toSorted((left, right) => left - right);
  if (numbers.length > MAX_LEFT_OUT) return [];
  return [...numbers, undefined].map((number, index) => {
    const before = numbers[index - 1];
    return {
      ...(before !== undefined && { exclusiveMinimum: before }),
      ...(number !== undefined && { exclusiveMaximum: number }),
    };
  });
}

/** Numbers below and above the bounds of an alternative. */
function outside(theirs: Alternative): SchemaNode[] {
  return theirs.flatMap((node) => [
    ...('minimum' in node ? [{ exclusiveMaximum: node['minimum'] }] : []),
    ...('exclusiveMinimum' in node ? [{ maximum: node['exclusiveMinimum'] }] : []),
    ...('maximum' in node ? [{ exclusiveMinimum: node['maximum'] }] : []),
    ...('exclusiveMaximum' in node ? [{ minimum: node['exclusiveMaximum'] }] : []),
  ]);
}

function restrictsStrings(node: SchemaNode): boolean {
  return (
    ['pattern', 'minLength', 'maxLength'].some((each) => each in node) || keptFormat(node[FORMAT_HINT]) !== undefined
  );
}

/** Arrays that are longer or shorter than the listed ones. */
function otherLengths(listed: readonly unknown[]): SchemaNode[] {
  const lengths = listed.flatMap((value) => (Array.isArray(value) ? [value.length] : []));
  const [least, most] = [Math.min(...lengths), Math.max(...lengths)];
  return [{ minItems: most + 1 }, ...(least > 0 ? [{ maxItems: least - 1 }] : [])];
}
