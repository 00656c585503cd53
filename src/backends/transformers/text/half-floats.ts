/** 16-bit floats, which come as whole numbers where JavaScript has no array of them. @module */

let table: Float32Array | undefined;

/** Their values, by a table of all of them: arithmetic on each would take longer than a small model's whole step. */
export function halfToFloats(halves: Uint16Array): Float32Array<ArrayBuffer> {
  const values = (table ??= Float32Array.from({ length: 65536 }, (_, half) => halfToFloat(half)));
  const floats = new Float32Array(halves.length);
  for (let index = 0; index < halves.length; index++) floats[index] = values[halves[index]!]!;
  return floats;
}

function halfToFloat(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
