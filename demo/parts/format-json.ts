/** Columns of a line, beyond which a nested value is broken into lines: what the wire panel has, but for a comma. */
const WIDTH = 45;

/**
 * JSON for people: what fits on a line stays on it.
 * @param before columns that the line has before the value
 */
export function formatJson(value: unknown, indent = '', before = 0): string {
  const flat = JSON.stringify(value, null, 1)?.replace(/\n\s*/g, ' ') ?? '';
  if (typeof value !== 'object' || value === null || (indent !== '' && before + flat.length <= WIDTH)) {
    return flat;
  }
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const lines = Object.entries(value).map(([name, member]) => {
    const start = isList ? inner : `${inner}${JSON.stringify(name)}: `;
    return start + formatJson(member, inner, start.length);
  });
  if (lines.length === 0) return flat;
  return `${isList ? '[' : '{'}\n${lines.join(',\n')}\n${indent}${isList ? ']' : '}'}`;
}
