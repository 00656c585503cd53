/** Columns that a nested value may take before it is broken into lines. */
const WIDTH = 44;

/** JSON for people: what fits on a line stays on it. */
export function formatJson(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value, null, 1)?.replace(/\n\s*/g, ' ') ?? '';
  if (typeof value !== 'object' || value === null || (indent !== '' && indent.length + flat.length <= WIDTH)) {
    return flat;
  }
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const lines = Object.entries(value).map(
    ([name, member]) => `${inner}${isList ? '' : `${JSON.stringify(name)}: `}${formatJson(member, inner)}`,
  );
  if (lines.length === 0) return flat;
  return `${isList ? '[' : '{'}\n${lines.join(',\n')}\n${indent}${isList ? ']' : '}'}`;
}
