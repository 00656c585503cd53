/** A client's JSON Schema whose structure was checked. @module */
import { isPlainObject } from '../json/is-plain-object.js';
import type { JsonSchema } from '../request/tool.js';
import { unicodePattern } from './automaton/unicode-pattern.js';
import { WorkBudget } from './limits/work-budget.js';
import { type KeywordKind, SCHEMA_KEYWORDS, SCHEMA_TYPES } from './schema-keywords.js';
import { SchemaProblem } from './limits/schema-problem.js';

/** A schema object (not `true` or `false`). */
export type SchemaNode = { [key: string]: unknown };

/** Limits that keep a hostile schema from costing more than a moment. */
const LIMITS = {
  depth: 64,
  schemas: 5_000,
  values: 20_000,
  enumeration: 1_000,
  characters: 250_000,
  patternLength: 1_000,
};

/** Where a document keeps the `format` of a schema. */
export const FORMAT_HINT = 'x-format';

export interface SchemaDocument {
  /** A copy with the supported keywords only, checked. */
  root: JsonSchema;
  /** Of every schema object in `root`. */
  paths: ReadonlyMap<object, SchemaPath>;
  /** What is left to spend on this document. */
  work: WorkBudget;
  /** What stands at a JSON pointer outside all keywords, read as a schema; undefined: nothing that could be one. */
  readElsewhere: (steps: readonly string[]) => JsonSchema | undefined;
}

/** The schema as a document. Throws SchemaProblem for keywords of a wrong type and for what is beyond the limits. */
export function readSchemaDocument(schema: unknown, work: WorkBudget = new WorkBudget()): SchemaDocument {
  const reader = new SchemaReader(work);
  const root = reader.readSchema(schema, ROOT, 0);
  const elsewhere = new Map<string, JsonSchema | undefined>();
  return {
    root,
    paths: reader.paths,
    work,
    readElsewhere: (steps) => {
      const key = JSON.stringify(steps);
      if (!elsewhere.has(key)) elsewhere.set(key, reader.readAt(schema, steps));
      return elsewhere.get(key);
    },
  };
}

/** Where something stands in a schema. It is written when it is asked for: thousands of paths may share long names. */
export class SchemaPath {
  /** The last step: a keyword, a name, an index; '' for the root. */
  readonly step: string | number;
  readonly #parent: SchemaPath | undefined;

  constructor(step: string | number, parent?: SchemaPath) {
    this.step = step;
    this.#parent = parent;
  }

  /** Dotted path, '' for the root itself. */
  get path(): string {
    const before = this.#parent?.path ?? '';
    return before === '' ? String(this.step) : `${before}.${this.step}`;
  }

  /** From the root on. */
  get steps(): readonly (string | number)[] {
    return this.#parent === undefined ? [] : [...this.#parent.steps, this.step];
  }

  at(step: string | number): SchemaPath {
    return new SchemaPath(step, this);
  }
}

const ROOT = new SchemaPath('');

/** The schema that the `$ref` of `node` names. Throws SchemaProblem when it is remote, missing or no schema. */
export function resolveReference(document: SchemaDocument, node: SchemaNode): JsonSchema {
  const reference = String(node['$ref']);
  if (reference !== '#' && !reference.startsWith('#/')) {
    throw new SchemaProblem('must be a reference inside this schema, such as `#/$defs/name`', node, '$ref');
  }
  const steps = pointerSteps(reference, node);
  const target = valueAt(document.root, steps);
  if (typeof target === 'boolean') return target;
  if (typeof target === 'object' && target !== null && document.paths.has(target)) return target as SchemaNode;
  const elsewhere = document.readElsewhere(steps);
  if (elsewhere !== undefined) return elsewhere;
  throw new SchemaProblem('does not resolve to a schema', node, '$ref');
}

/** What stands at a place of a JSON value; undefined: nothing. */
function valueAt(root: unknown, steps: readonly string[]): unknown {
  let value = root;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as SchemaNode)[step];
  }
  return value;
}

function pointerSteps(reference: string, node: SchemaNode): string[] {
  try {
    return decodeURIComponent(reference.slice(1))
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  } catch {
    throw new SchemaProblem('is not a valid JSON pointer', node, '$ref');
  }
}

/** Walks a schema once, copying what it understands. */
class SchemaReader {
  readonly paths = new Map<object, SchemaPath>();
  readonly #work: WorkBudget;
  #values = 0;
  #characters = 0;

  constructor(work: WorkBudget) {
    this.#work = work;
  }

  readSchema(schema: unknown, path: SchemaPath, depth: number): JsonSchema {
    this.#work.spend(10);
    if (typeof schema === 'boolean') return schema;
    if (!isPlainObject(schema)) throw new StructureProblem(path, 'must be a JSON Schema: an object or a boolean');
    if (depth > LIMITS.depth) throw new StructureProblem(path, `is nested deeper than ${LIMITS.depth} schemas`);
    const copy: SchemaNode = {};
    this.paths.set(copy, path);
    if (this.paths.size > LIMITS.schemas) throw new StructureProblem(path, `holds more than ${LIMITS.schemas} schemas`);
    if (path !== ROOT && typeof schema['$id'] === 'string') {
      throw new StructureProblem(path.at('$id'), 'is not supported inside a schema; use `$defs` and `$ref`');
    }
    const entries = Object.entries(schema);
    this.#work.spend(entries.length);
    for (const [keyword, value] of entries) {
      const kind = Object.hasOwn(SCHEMA_KEYWORDS, keyword) ? SCHEMA_KEYWORDS[keyword] : undefined;
      if (kind === undefined) continue;
      // A format is an annotation; validators ignore this name.
      const name = keyword === 'format' ? FORMAT_HINT : keyword;
      copy[name] = this.#readKeyword(kind, value, path.at(keyword), depth);
    }
    return copy;
  }

  /** The schema at a place that no keyword leads to: it is looked at when a `$ref` names it. */
  readAt(document: unknown, steps: readonly string[]): JsonSchema | undefined {
    this.#work.spend(steps.length);
    const schema = valueAt(document, steps);
    if (typeof schema !== 'boolean' && !isPlainObject(schema)) return undefined;
    return this.readSchema(
      schema,
      steps.reduce((path, step) => path.at(step), ROOT),
      0,
    );
  }

  #readKeyword(kind: KeywordKind, value: unknown, path: SchemaPath, depth: number): unknown {
    switch (kind) {
      case 'schema':
        return this.readSchema(value, path, depth + 1);
      case 'schema-list':
        return this.#readSchemaList(value, path, depth);
      case 'schema-or-list':
        return Array.isArray(value)
          ? this.#readSchemaList(value, path, depth)
          : this.readSchema(value, path, depth + 1);
      case 'schema-map':
        return this.#readMap(value, path, (item, itemPath) => this.readSchema(item, itemPath, depth + 1));
      case 'schema-by-pattern':
        return this.#readMap(value, path, (item, itemPath) => {
          checkPattern(itemPath.step, path);
          return this.readSchema(item, itemPath, depth + 1);
        });
      case 'string-list-map':
        return this.#readMap(value, path, (item, itemPath) => this.#readStringList(item, itemPath));
      case 'string-list':
        return this.#readStringList(value, path);
      case 'values':
        if (!Array.isArray(value) || value.length === 0)
          throw new StructureProblem(path, 'must be a list of at least one value');
        if (value.length > LIMITS.enumeration)
          throw new StructureProblem(path, `has more than ${LIMITS.enumeration} values`);
        return value.map((item, index) => this.#readValue(item, path.at(index), depth));
      case 'value':
        return this.#readValue(value, path, depth);
      default:
        return this.#readScalar(kind, value, path);
    }
  }

  #readScalar(kind: KeywordKind, value: unknown, path: SchemaPath): unknown {
    switch (kind) {
      case 'count':
        if (!Number.isSafeInteger(value) || (value as number) < 0)
          throw new StructureProblem(path, 'must be an integer of at least 0');
        return value;
      case 'number':
      case 'positive':
        if (typeof value !== 'number' || !Number.isFinite(value))
          throw new StructureProblem(path, 'must be a finite number');
        if (kind === 'positive' && value <= 0) throw new StructureProblem(path, 'must be greater than 0');
        return value;
      case 'boolean':
        if (typeof value !== 'boolean') throw new StructureProblem(path, 'must be true or false');
        return value;
      case 'types':
        return readTypes(value, path);
      case 'pattern':
        checkPattern(value, path);
        return this.#readString(value, path);
      default:
        return this.#readString(value, path);
    }
  }

  #readSchemaList(value: unknown, path: SchemaPath, depth: number): JsonSchema[] {
    if (!Array.isArray(value)) throw new StructureProblem(path, 'must be a list of schemas');
    if (value.length === 0 && path.step !== 'prefixItems' && path.step !== 'items') {
      throw new StructureProblem(path, 'must hold at least one schema');
    }
    return value.map((item, index) => this.readSchema(item, path.at(index), depth + 1));
  }

  #readMap<T>(value: unknown, path: SchemaPath, read: (item: unknown, path: SchemaPath) => T): Record<string, T> {
    if (!isPlainObject(value)) throw new StructureProblem(path, 'must be an object');
    const entries = Object.entries(value).map(([key, item]): [string, T] => {
      this.#readString(key, path);
      return [key, read(item, path.at(key))];
    });
    return Object.fromEntries(entries);
  }

  #readStringList(value: unknown, path: SchemaPath): string[] {
    if (!Array.isArray(value)) throw new StructureProblem(path, 'must be a list of strings');
    if (value.length > LIMITS.schemas) throw new StructureProblem(path, `has more than ${LIMITS.schemas} entries`);
    return value.map((item, index) => this.#readString(item, path.at(index)));
  }

  #readString(value: unknown, path: SchemaPath): string {
    if (typeof value !== 'string') throw new StructureProblem(path, 'must be a string');
    this.#characters += value.length;
    if (this.#characters > LIMITS.characters)
      throw new StructureProblem(path, `makes the schema longer than ${LIMITS.characters} characters`);
    return value;
  }

  #readValue(value: unknown, path: SchemaPath, depth: number): unknown {
    this.#values += 1;
    if (this.#values > LIMITS.values)
      throw new StructureProblem(path, `makes the schema hold more than ${LIMITS.values} values`);
    if (depth > LIMITS.depth) throw new StructureProblem(path, `is nested deeper than ${LIMITS.depth} levels`);
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'string') return this.#readString(value, path);
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (Array.isArray(value)) return value.map((item, index) => this.#readValue(item, path.at(index), depth + 1));
    if (!isPlainObject(value)) throw new StructureProblem(path, 'must be a JSON value');
    return this.#readMap(value, path, (item, itemPath) => this.#readValue(item, itemPath, depth + 1));
  }
}

/** A SchemaProblem where there is no schema object yet. */
export class StructureProblem extends SchemaProblem {
  readonly path: SchemaPath;

  constructor(path: SchemaPath, message: string) {
    super(message);
    this.path = path;
  }
}

function readTypes(value: unknown, path: SchemaPath): string | string[] {
  const names = Array.isArray(value) ? value : [value];
  if (names.length === 0) throw new StructureProblem(path, 'must name at least one type');
  if (
    names.length > SCHEMA_TYPES.length ||
    !names.every((name) => (SCHEMA_TYPES as readonly unknown[]).includes(name))
  ) {
    throw new StructureProblem(path, `must be one of ${SCHEMA_TYPES.join(', ')}, or a list of these`);
  }
  return Array.isArray(value) ? [...value] : String(value);
}

function checkPattern(value: unknown, path: SchemaPath): void {
  if (typeof value !== 'string') throw new StructureProblem(path, 'must be a string');
  if (value.length > LIMITS.patternLength)
    throw new StructureProblem(path, `is longer than ${LIMITS.patternLength} characters`);
  try {
    void new RegExp(unicodePattern(value), 'u');
  } catch (error) {
    throw new StructureProblem(
      path,
      error instanceof SchemaProblem ? error.message : 'is not a valid regular expression',
    );
  }
}
