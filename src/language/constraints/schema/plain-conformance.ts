/** Checks values against keywords without subschemas: types, lengths, bounds. @module */
import type { WorkBudget } from '../../../core/schema/limits/work-budget.js';
import { canonicalText } from './canonical-text.js';
import { toDecimal } from './decimal.js';
import type { SchemaNode } from '../../../core/schema/schema-document.js';

/** The names of the types that a JSON value has. */
export function typesOfValue(value: unknown): string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  if (typeof value === 'number') return Number.isInteger(value) ? ['number', 'integer'] : ['number'];
  return [typeof value];
}

/** Whether a JSON value is within the bounds of its type: range, length, number of items or members. */
export function withinBounds(value: unknown, node: SchemaNode, work: WorkBudget): boolean {
  const keywords = node as { [keyword: string]: number | undefined };
  if (typeof value === 'number') return withinRange(value, keywords);
  if (typeof value === 'string') {
    const { minLength = 0, maxLength = Infinity } = keywords;
    if (minLength === 0 && maxLength === Infinity) return true;
    work.spend(value.length);
    return within(Array.from(value).length, minLength, maxLength);
  }
  if (Array.isArray(value)) {
    const { minItems = 0, maxItems = Infinity } = keywords;
    if (!within(value.length, minItems, maxItems)) return false;
    if (node['uniqueItems'] !== true) return true;
    return new Set(value.map((item) => canonicalText(item, work))).size === value.length;
  }
  return typeof value !== 'object' || value === null || memberCounts(value, node, work);
}

function memberCounts(value: object, node: SchemaNode, work: WorkBudget): boolean {
  const { minProperties = 0, maxProperties = Infinity } = node as { [keyword: string]: number | undefined };
  const { required = [], dependentRequired = {} } = node as {
    required?: string[];
    dependentRequired?: Record<string, string[]>;
  };
  const count = Object.keys(value).length;
  const dependent = Object.entries(dependentRequired);
  work.spend(count + required.length + dependent.length);
  const has = (name: string): boolean => Object.hasOwn(value, name);
  return (
    within(count, minProperties, maxProperties) &&
    required.every(has) &&
    dependent.every(([name, others]) => {
      if (!has(name)) return true;
      work.spend(others.length);
      return others.every(has);
    })
  );
}

function withinRange(value: number, keywords: { [keyword: string]: number | undefined }): boolean {
  const { minimum = -Infinity, maximum = Infinity, multipleOf } = keywords;
  const { exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = keywords;
  if (!within(value, minimum, maximum) || value <= exclusiveMinimum || value >= exclusiveMaximum) return false;
  return multipleOf === undefined || isMultiple(value, multipleOf);
}

/** Exact, for decimals as they are written. */
function isMultiple(value: number, step: number): boolean {
  const [number, divisor] = [toDecimal(value), toDecimal(step)];
  const scale = Math.max(number.scale, divisor.scale);
  const scaled = ({ units, scale: own }: typeof number): bigint => units * 10n ** BigInt(scale - own);
  return scaled(number) % scaled(divisor) === 0n;
}

function within(value: number, min: number, max: number): boolean {
  return value >= min && value <= max;
}
