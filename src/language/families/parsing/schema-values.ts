/** Values that were written without their types: the schemas of the request's tools tell them. @module */
import { mendValue } from '../../../core/json/mend-json.js';
import { pythonNumber } from '../../../core/json/python-text.js';
import type { JsonSchema, Tool } from '../../../core/request/tool.js';
import { readPythonLiteral } from './python-literal.js';

export type ValueType = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'object' | 'array';

type SchemaObject = Exclude<JsonSchema, boolean>;

/** How deep references and combinations are followed. */
const DEPTH = 8;

/** The types that a tool's schema allows for an argument; undefined when it says nothing. */
export function argumentTypes(tools: readonly Tool[], name: string, key: string): ReadonlySet<ValueType> | undefined {
  const schema = tools.find((tool) => tool.name === name)?.parameters;
  if (typeof schema !== 'object') return undefined;
  const types = new Set<ValueType>();
  for (const object of expand(schema, schema, 0)) {
    const properties = object['properties'] as Record<string, JsonSchema> | undefined;
    const own = properties && Object.hasOwn(properties, key) ? properties[key] : object['additionalProperties'];
    if (typeof own === 'object' && own !== null)
      for (const type of typesOf(own as SchemaObject, schema)) types.add(type);
  }
  return types.size > 0 ? types : undefined;
}

/** Names of a tool's arguments in the order of its schema, for calls that give them by place. */
export function argumentNames(tools: readonly Tool[], name: string): string[] {
  const schema = tools.find((tool) => tool.name === name)?.parameters;
  if (typeof schema !== 'object') return [];
  return Object.keys((schema['properties'] as object | undefined) ?? {});
}

/**
 * The JSON of a value of which only the text was written. Where no string may stand, what can only mean one value of the types is
 * that value; nothing and `None` are null. A text that none of the types fits stays a string, which validation then judges.
 * @param types undefined: unknown, so the text decides
 */
export function typedJson(text: string, types: ReadonlySet<ValueType> | undefined): string {
  const trimmed = text.trim();
  const json = exactJson(trimmed, (type) => types === undefined || types.has(type));
  if (json !== undefined) return json;
  const isNoText = types !== undefined && !types.has('string');
  return (isNoText ? mendedJson(trimmed, types) : undefined) ?? JSON.stringify(text);
}

function exactJson(text: string, allows: (type: ValueType) => boolean): string | undefined {
  if (allows('null') && /^(?:null|None)$/.test(text)) return 'null';
  if (allows('boolean') && /^(?:true|false)$/i.test(text)) return text.toLowerCase();
  const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
  if ((allows('number') || allows('integer')) && isNumber) return text;
  if (allows('object') && text.startsWith('{') && isJson(text)) return text;
  return allows('array') && text.startsWith('[') && isJson(text) ? text : undefined;
}

/** A value as Python writes it, or JSON with slips, or the text of one. */
function mendedJson(text: string, types: ReadonlySet<ValueType>): string | undefined {
  if (/^(?:null|None)?$/.test(text)) return 'null';
  const json =
    wholeValue(mendValue(text), text) ?? wholeValue(readPythonLiteral(`${text}\n`, 0), text) ?? pythonNumber(text);
  if (json === undefined) return undefined;
  if (json.startsWith('"')) {
    const inner = (JSON.parse(json) as string).trim();
    return exactJson(inner, (type) => types.has(type)) ?? (inner === text ? undefined : mendedJson(inner, types));
  }
  return exactJson(json, (type) => types.has(type));
}

function wholeValue(value: ReturnType<typeof mendValue>, text: string): string | undefined {
  return typeof value === 'string' || value.end !== text.length ? undefined : value.json;
}

/** A string and nothing else, so its text can be given out while it is written. */
export function isPlainString(types: ReadonlySet<ValueType> | undefined): boolean {
  return types?.size === 1 && types.has('string');
}

function typesOf(schema: SchemaObject, root: SchemaObject): ValueType[] {
  return expand(schema, root, 0).flatMap((each) => {
    const { type } = each as { type?: ValueType | ValueType[] };
    if (type !== undefined) return Array.isArray(type) ? type : [type];
    const values = Object.hasOwn(each, 'const') ? [each['const']] : ((each['enum'] as unknown[] | undefined) ?? []);
    const listed = values.map(typeOf);
    if (each['properties'] !== undefined) listed.push('object');
    if (each['items'] !== undefined) listed.push('array');
    return listed;
  });
}

function typeOf(value: unknown): ValueType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as ValueType;
}

/** The schema and all that it combines or refers to. */
function expand(schema: SchemaObject, root: SchemaObject, depth: number): SchemaObject[] {
  if (depth > DEPTH) return [];
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => (schema[keyword] as JsonSchema[] | undefined) ?? []);
  const target = referenced(schema['$ref'], root);
  const others = [...parts, ...(target === undefined ? [] : [target])];
  return [
    schema,
    ...others.flatMap((each) => (typeof each === 'object' && each !== null ? expand(each, root, depth + 1) : [])),
  ];
}

function referenced(reference: unknown, root: SchemaObject): SchemaObject | undefined {
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
  let target: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    target = typeof target === 'object' && target !== null ? (target as Record<string, unknown>)[name] : undefined;
  }
  return typeof target === 'object' && target !== null ? (target as SchemaObject) : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
