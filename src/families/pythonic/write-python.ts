/** Values and calls as Python writes them. @module */
import type { WrittenCall } from '../model-family.js';

/** `name(key=value, …)`. */
export function writePythonCall(call: WrittenCall): string {
  if (typeof call.arguments === 'string') return `${call.name}(${call.arguments})`;
  const pairs = Object.entries(call.arguments).map(([key, value]) => `${key}=${writePython(value)}`);
  return `${call.name}(${pairs.join(', ')})`;
}

function writePython(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(writePython).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${writePython(item)}`);
  return `{${pairs.join(', ')}}`;
}
