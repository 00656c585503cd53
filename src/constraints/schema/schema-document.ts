/** A client's JSON Schema after the check of its structure. @module */
import type { JsonSchema } from '../../request/tool.js';
import { type KeywordKind, SCHEMA_KEYWORDS, SCHEMA_TYPES } from './schema-keywords.js';
import { SchemaProblem } from './schema-problem.js';

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
  /** A copy that holds only keywords with a meaning, in their checked form. */
  root: JsonSchema;
  /** Dotted path of every schema object in `root`, '' for the root itself. */
  paths: ReadonlyMap<object, string>;
}

/** The schema as a document. Throws SchemaProblem for wrong types of keywords and for sizes beyond all sense. */
export function readSchemaDocument(schema: unknown): SchemaDocument {
  const reader = new SchemaReader();
  return { root: reader.readSchema(schema, '', 0), paths: reader.paths };
}

/** The schema that the `$ref` of `node` names. Throws SchemaProblem when it is remote, missing or no schema. */
export function resolveReference(document: SchemaDocument, node: SchemaNode): JsonSchema {
  const reference = String(node['$ref']);
  if (reference !== '#' && !reference.startsWith('#/')) {
    throw new SchemaProblem('must be a reference inside this schema, such as `#/$defs/name`', node, '$ref');
  }
  let target: unknown = document.root;
  for (const step of pointerSteps(reference, node)) {
    target =
      typeof target === 'object' && target !== null && Object.hasOwn(target, step)
        ? (target as SchemaNode)[step]
        : undefined;
  }
  if (typeof target === 'boolean') return target;
  if (typeof target === 'object' && target !== null && document.paths.has(target)) return target as SchemaNode;
  throw new SchemaProblem('does not resolve to a schema', node, '$ref');
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
  readonly paths = new Map<object, string>();
  #values = 0;
  #characters = 0;

  readSchema(schema: unknown, path: string, depth: number): JsonSchema {
    if (typeof schema === 'boolean') return schema;
    if (!isPlainObject(schema)) throw new StructureProblem(path, 'must be a JSON Schema: an object or a boolean');
    if (depth > LIMITS.depth) throw new StructureProblem(path, `is nested deeper than ${LIMITS.depth} schemas`);
    const copy: SchemaNode = {};
    this.paths.set(copy, path);
    if (this.paths.size > LIMITS.schemas) throw new StructureProblem(path, `holds more than ${LIMITS.schemas} schemas`);
    if (path !== '' && typeof schema['$id'] === 'string') {
      throw new StructureProblem(join(path, '$id'), 'is not supported inside a schema; use `$defs` and `$ref`');
    }
    for (const [keyword, value] of Object.entries(schema)) {
      const kind = Object.hasOwn(SCHEMA_KEYWORDS, keyword) ? SCHEMA_KEYWORDS[keyword] : undefined;
      if (kind === undefined) continue;
      // A format is an annotation: under this name validators leave it alone.
      const name = keyword === 'format' ? FORMAT_HINT : keyword;
      copy[name] = this.#readKeyword(kind, value, join(path, keyword), depth);
    }
    return copy;
  }

  #readKeyword(kind: KeywordKind, value: unknown, path: string, depth: number): unknown {
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
      case 'string-list-map':
        return this.#readMap(value, path, (item, itemPath) => this.#readStringList(item, itemPath));
      case 'string-list':
        return this.#readStringList(value, path);
      case 'values':
        if (!Array.isArray(value) || value.length === 0)
          throw new StructureProblem(path, 'must be a list of at least one value');
        if (value.length > LIMITS.enumeration)
          throw new StructureProblem(path, `has more than ${LIMITS.enumeration} values`);
        return value.map((item, index) => this.#readValue(item, join(path, index), depth));
      case 'value':
        return this.#readValue(value, path, depth);
      default:
        return this.#readScalar(kind, value, path);
    }
  }

  #readScalar(kind: KeywordKind, value: unknown, path: string): unknown {
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

  #readSchemaList(value: unknown, path: string, depth: number): JsonSchema[] {
    if (!Array.isArray(value)) throw new StructureProblem(path, 'must be a list of schemas');
    if (value.length === 0 && !path.endsWith('Items') && !path.endsWith('items')) {
      throw new StructureProblem(path, 'must hold at least one schema');
    }
    return value.map((item, index) => this.readSchema(item, join(path, index), depth + 1));
  }

  #readMap<T>(value: unknown, path: string, read: (item: unknown, path: string) => T): Record<string, T> {
    if (!isPlainObject(value)) throw new StructureProblem(path, 'must be an object');
    const isPatternMap = path.endsWith('patternProperties');
    const entries = Object.entries(value).map(([key, item]): [string, T] => {
      this.#readString(key, path);
      if (isPatternMap) checkPattern(key, path);
      return [key, read(item, join(path, key))];
    });
    return Object.fromEntries(entries);
  }

  #readStringList(value: unknown, path: string): string[] {
    if (!Array.isArray(value)) throw new StructureProblem(path, 'must be a list of strings');
    if (value.length > LIMITS.schemas) throw new StructureProblem(path, `has more than ${LIMITS.schemas} entries`);
    return value.map((item, index) => this.#readString(item, join(path, index)));
  }

  #readString(value: unknown, path: string): string {
    if (typeof value !== 'string') throw new StructureProblem(path, 'must be a string');
    this.#characters += value.length;
    if (this.#characters > LIMITS.characters)
      throw new StructureProblem(path, `makes the schema longer than ${LIMITS.characters} characters`);
    return value;
  }

  #readValue(value: unknown, path: string, depth: number): unknown {
    this.#values += 1;
    if (this.#values > LIMITS.values)
      throw new StructureProblem(path, `makes the schema hold more than ${LIMITS.values} values`);
    if (depth > LIMITS.depth) throw new StructureProblem(path, `is nested deeper than ${LIMITS.depth} levels`);
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'string') return this.#readString(value, path);
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (Array.isArray(value)) return value.map((item, index) => this.#readValue(item, join(path, index), depth + 1));
    if (!isPlainObject(value)) throw new StructureProblem(path, 'must be a JSON value');
    return this.#readMap(value, path, (item, itemPath) => this.#readValue(item, itemPath, depth + 1));
  }
}

/** A SchemaProblem at a place that has no schema object yet. */
export class StructureProblem extends SchemaProblem {
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

function join(path: string, step: string | number): string {
  return path === '' ? String(step) : `${path}.${step}`;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readTypes(value: unknown, path: string): string | string[] {
  const names = Array.isArray(value) ? value : [value];
  if (names.length === 0) throw new StructureProblem(path, 'must name at least one type');
  if (!names.every((name) => (SCHEMA_TYPES as readonly unknown[]).includes(name))) {
    throw new StructureProblem(path, `must be one of ${SCHEMA_TYPES.join(', ')}, or a list of these`);
  }
  return Array.isArray(value) ? [...value] : String(value);
}

function checkPattern(value: unknown, path: string): void {
  if (typeof value !== 'string') throw new StructureProblem(path, 'must be a string');
  if (value.length > LIMITS.patternLength)
    throw new StructureProblem(path, `is longer than ${LIMITS.patternLength} characters`);
  try {
    void new RegExp(value, 'u');
  } catch {
    throw new StructureProblem(path, 'is not a valid regular expression');
  }
}
