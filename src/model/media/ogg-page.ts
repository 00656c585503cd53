/** Pages of Ogg files. @module */

const SERIAL_AT = 14;
const CHECKSUM_AT = 22;

/** A copy of a page with serial number 1: muxers draw one, and equal requests must give equal bytes. */
export function withFixedSerial(page: Uint8Array): Uint8Array<ArrayBuffer> {
  const fixed = Uint8Array.from(page);
  const view = new DataView(fixed.buffer);
  view.setUint32(SERIAL_AT, 1, true);
  view.setUint32(CHECKSUM_AT, 0, true);
  view.setUint32(CHECKSUM_AT, checksum(fixed), true);
  return fixed;
}

/** CRC-32 as Ogg has it: the polynomial 0x04c11db7, the highest bit first, nothing inverted. */
function checksum(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) sum = sum < 0 ? (sum << 1) ^ 0x04c11db7 : sum << 1;
  }
  return sum >>> 0;
}
