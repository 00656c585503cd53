/**
 * Validates values that a document itself lists (`const`, `enum`, names of members) against the schemas beside them,
 * each pair of value and schema once. Every step is counted.
 * @module
 */
import { isPlainObject } from '../../../core/json/is-plain-object.js';
import type { JsonSchema } from '../../../core/request/tool.js';
import { typesOfValue, withinBounds } from './plain-conformance.js';
import { FORMAT_HINT, resolveReference, type SchemaNode } from '../../../core/schema/schema-document.js';
import { keptFormat } from '../../../core/schema/formats.js';
import { UNKNOWN_KEYWORDS } from '../../../core/schema/schema-keywords.js';
import { atKeyword, SchemaProblem } from '../../../core/schema/limits/schema-problem.js';
import { canonicalText } from './canonical-text.js';
import type { PatternedDocument } from './patterned-document.js';

/** Deepest nesting of schemas and values, references included. */
const MAX_DEPTH = 400;

/** Steps that checking one pair of value and schema costs. */
const PAIR = 20;

/** The members and items that a schema has evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
interface Evaluated {
  names: ReadonlySet<string>;
  items: ReadonlySet<number>;
}

const NOTHING: Evaluated = { names: new Set(), items: new Set() };

/** Undefined: the value does not conform. */
type Evaluation = Evaluated | undefined;

/** Validates values against the schemas of one document. */
export class Conformance {
  readonly #document: PatternedDocument;
  readonly #known = new PairSet<Evaluation | 'open'>();
  readonly #listed = new Map<SchemaNode, ReadonlySet<string>>();
  readonly #byListed = new Map<readonly JsonSchema[], Map<string, JsonSchema[]> | 'unlisted'>();
  #depth = 0;

  constructor(document: PatternedDocument) {
    this.#document = document;
  }

  /**
   * True when `value` conforms to a schema of the document, the formats that are kept included.
   * @throws SchemaProblem for unsupported keywords, and when it takes too much work
   */
  conforms(value: unknown, schema: JsonSchema): boolean {
    return this.#evaluate(value, schema) !== undefined;
  }

  /** The same without the keywords that combine schemas: in an alternative the schemas that they hold stand for themselves. */
  conformsAlone(value: unknown, node: SchemaNode): boolean {
    this.#document.work.spend(PAIR);
    const evaluated = { names: new Set<string>(), items: new Set<number>() };
    // What they evaluate is not known here, so what is left over is not judged.
    const own = { ...node };
    delete own['unevaluatedProperties'];
    delete own['unevaluatedItems'];
    return this.#conformsPlainly(value, own) && this.#conformingParts(value, own, evaluated, () => true);
  }

  #evaluate(value: unknown, schema: JsonSchema): Evaluation {
    if (typeof schema === 'boolean') return schema ? NOTHING : undefined;
    const known = this.#known.get(schema, value);
    if (known === 'open') throw new SchemaProblem('refers back to itself', schema, '$ref');
    if (known !== undefined || this.#known.has(schema, value)) return known;
    this.#document.work.spend(PAIR);
    if (this.#depth >= MAX_DEPTH) throw new SchemaProblem('is nested too deeply by its references', schema);
    this.#known.set(schema, value, 'open');
    this.#depth += 1;
    const outcome = this.#look(value, schema);
    this.#depth -= 1;
    this.#known.set(schema, value, outcome);
    return outcome;
  }

  #look(value: unknown, node: SchemaNode): Evaluation {
    for (const keyword of UNKNOWN_KEYWORDS) {
      if (Object.hasOwn(node, keyword)) throw new SchemaProblem('is not supported', node, keyword);
    }
    const evaluated: { names: Set<string>; items: Set<number> } = { names: new Set(), items: new Set() };
    const take = (outcome: Evaluation): boolean => {
      if (outcome === undefined) return false;
      this.#document.work.spend(outcome.names.size + outcome.items.size);
      for (const name of outcome.names) evaluated.names.add(name);
      for (const item of outcome.items) evaluated.items.add(item);
      return true;
    };
    const conforms = this.#conformsPlainly(value, node) && this.#combined(value, node, take);
    return conforms && this.#conformingParts(value, node, evaluated, take) ? evaluated : undefined;
  }

  #conformingParts(
    value: unknown,
    node: SchemaNode,
    evaluated: { names: Set<string>; items: Set<number> },
    take: (outcome: Evaluation) => boolean,
  ): boolean {
    if (Array.isArray(value)) return this.#conformingItems(value, node, evaluated.items);
    return !isPlainObject(value) || this.#conformingMembers(value, node, evaluated.names, take);
  }

  /** The keywords without subschemas. */
  #conformsPlainly(value: unknown, node: SchemaNode): boolean {
    const { work, patterns } = this.#document;
    const { type, pattern } = node as { type?: string | string[]; pattern?: string };
    if (type !== undefined) {
      const types = typesOfValue(value);
      if (!(Array.isArray(type) ? type : [type]).some((each) => types.includes(each))) return false;
    }
    if (Object.hasOwn(node, 'const') || node['enum'] !== undefined) {
      if (!this.#listedValues(node).has(canonicalText(value, work))) return false;
    }
    if (pattern !== undefined && typeof value === 'string') {
      if (!atKeyword(node, 'pattern', () => patterns.isFound(pattern, value))) return false;
    }
    const format = keptFormat(node[FORMAT_HINT]);
    if (format !== undefined && typeof value === 'string') {
      if (value.length > (format.maxLength ?? Infinity) || !patterns.isFound(format.pattern, value)) return false;
    }
    return withinBounds(value, node, work);
  }

  #listedValues(node: SchemaNode): ReadonlySet<string> {
    let listed = this.#listed.get(node);
    if (listed === undefined) {
      const { work } = this.#document;
      const constant = Object.hasOwn(node, 'const') ? [canonicalText(node['const'], work)] : undefined;
      const values = (node['enum'] as unknown[] | undefined)?.map((each) => canonicalText(each, work));
      listed = new Set(constant?.filter((each) => values === undefined || values.includes(each)) ?? values);
      this.#listed.set(node, listed);
    }
    return listed;
  }

  /** The keywords whose subschemas apply to the value itself. */
  #combined(value: unknown, node: SchemaNode, take: (outcome: Evaluation) => boolean): boolean {
    const { allOf, anyOf, oneOf } = node as { [key: string]: JsonSchema[] | undefined };
    if (node['$ref'] !== undefined && !take(this.#evaluate(value, resolveReference(this.#document, node))))
      return false;
    if (allOf && !allOf.every((each) => take(this.#evaluate(value, each)))) return false;
    // Every branch that holds is evaluated, because each may evaluate other members.
    if (anyOf && this.#promising(anyOf, value).filter((each) => take(this.#evaluate(value, each))).length === 0)
      return false;
    if (oneOf) {
      const [holding, ...more] = this.#promising(oneOf, value).filter((each) => this.conforms(value, each));
      if (holding === undefined || more.length > 0) return false;
      take(this.#evaluate(value, holding));
    }
    if (node['not'] !== undefined && this.conforms(value, node['not'] as JsonSchema)) return false;
    if (node['if'] === undefined) return true;
    const branch = (take(this.#evaluate(value, node['if'] as JsonSchema)) ? node['then'] : node['else']) as
      | JsonSchema
      | undefined;
    return branch === undefined || take(this.#evaluate(value, branch));
  }

  /** The branches that a value may conform to. Where every branch lists its values, only those that list this one. */
  #promising(branches: readonly JsonSchema[], value: unknown): readonly JsonSchema[] {
    let byText = this.#byListed.get(branches);
    if (byText === undefined) {
      byText = this.#branchesByText(branches);
      this.#byListed.set(branches, byText);
    }
    return byText === 'unlisted' ? branches : (byText.get(canonicalText(value, this.#document.work)) ?? []);
  }

  #branchesByText(branches: readonly JsonSchema[]): Map<string, JsonSchema[]> | 'unlisted' {
    const byText = new Map<string, JsonSchema[]>();
    for (const branch of branches) {
      if (typeof branch === 'boolean' || !(Object.hasOwn(branch, 'const') || Object.hasOwn(branch, 'enum')))
        return 'unlisted';
      for (const text of this.#listedValues(branch)) {
        const known = byText.get(text);
        if (known === undefined) byText.set(text, [branch]);
        else known.push(branch);
      }
    }
    return byText;
  }

  #conformingItems(items: readonly unknown[], node: SchemaNode, evaluated: Set<number>): boolean {
    const isTuple = Array.isArray(node['items']);
    const prefix = (node['prefixItems'] ?? (isTuple ? node['items'] : [])) as JsonSchema[];
    const rest = (isTuple ? node['additionalItems'] : node['items']) as JsonSchema | undefined;
    for (const [index, item] of items.entries()) {
      const schema = index < prefix.length ? prefix[index] : rest;
      if (schema === undefined) continue;
      if (!this.conforms(item, schema)) return false;
      evaluated.add(index);
    }
    const contains = node['contains'] as JsonSchema | undefined;
    if (contains !== undefined) {
      const { minContains = 1, maxContains = Infinity } = node as { [key: string]: number | undefined };
      const found = [...items.keys()].filter((index) => this.conforms(items[index], contains));
      if (found.length < minContains || found.length > maxContains) return false;
      for (const index of found) evaluated.add(index);
    }
    const others = node['unevaluatedItems'] as JsonSchema | undefined;
    if (others === undefined) return true;
    return items.every((item, index) => {
      if (evaluated.has(index)) return true;
      evaluated.add(index);
      return this.conforms(item, others);
    });
  }

  #conformingMembers(
    value: Readonly<Record<string, unknown>>,
    node: SchemaNode,
    evaluated: Set<string>,
    take: (outcome: Evaluation) => boolean,
  ): boolean {
    const schemas = node as { [key: string]: JsonSchema | undefined };
    const names = Object.keys(value);
    const { propertyNames, additionalProperties, unevaluatedProperties: others } = schemas;
    if (propertyNames !== undefined && !names.every((name) => this.conforms(name, propertyNames))) return false;
    for (const name of names) {
      const own = this.#schemasOfMember(node, name);
      if (own.length === 0 && additionalProperties !== undefined) own.push(additionalProperties);
      if (own.length > 0) evaluated.add(name);
      if (!own.every((schema) => this.conforms(value[name], schema))) return false;
    }
    const dependent = Object.entries((node['dependentSchemas'] ?? {}) as Record<string, JsonSchema>);
    this.#document.work.spend(dependent.length);
    for (const [name, schema] of dependent) {
      if (Object.hasOwn(value, name) && !take(this.#evaluate(value, schema))) return false;
    }
    if (others === undefined) return true;
    return names.every((name) => {
      if (evaluated.has(name)) return true;
      evaluated.add(name);
      return this.conforms(value[name], others);
    });
  }

  #schemasOfMember(node: SchemaNode, name: string): JsonSchema[] {
    const properties = (node['properties'] ?? {}) as Record<string, JsonSchema>;
    const byPattern = Object.entries((node['patternProperties'] ?? {}) as Record<string, JsonSchema>);
    this.#document.work.spend(1 + byPattern.length);
    const matching = byPattern.filter(([pattern]) =>
      atKeyword(node, 'patternProperties', () => this.#document.patterns.isFound(pattern, name)),
    );
    return [...(Object.hasOwn(properties, name) ? [properties[name]!] : []), ...matching.map(([, schema]) => schema)];
  }
}

/** A map by schema and value. As in a `Map`, texts and numbers are compared by value, objects by identity. */
class PairSet<Known> {
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
