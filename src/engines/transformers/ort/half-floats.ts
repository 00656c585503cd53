/** Conversion of 16-bit floats, which are whole numbers in JavaScript engines without `Float16Array`. @module */

let table: Float32Array | undefined;

/** Uses a table of all 65536 values: computing each would take longer than a decode step of a small model. */
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

/** Rounds to the nearest half, ties to even. */
export function floatsToHalves(floats: Float32Array): Uint16Array {
  const bits = new Uint32Array(floats.buffer.slice(floats.byteOffset, floats.byteOffset + floats.byteLength));
  return Uint16Array.from(bits, floatToHalf);
}

/** @param bits of a 32-bit float */
function floatToHalf(bits: number): number {
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  // From 65520 on, infinity is the nearest.
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude >= 0x38800000) {
    const rounded = magnitude + 0xfff + ((magnitude >>> 13) & 1);
    return sign | ((rounded - 0x38000000) >>> 13);
  }
  // Below 2^-14 halves are multiples of 2^-24.
  const exponent = magnitude >>> 23;
  if (exponent < 102) return sign;
  const fraction = (magnitude & 0x7fffff) | 0x800000;
  const shift = 126 - exponent;
  const whole = fraction >>> shift;
  const rest = fraction & ((1 << shift) - 1);
  const middle = 1 << (shift - 1);
  return sign | (whole + (rest > middle || (rest === middle && (whole & 1) === 1) ? 1 : 0));
}
