/** Bytes drawn at random, the same for the same seed: weights of models are made of them. */
export function randomBytes(count: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(count);
  let state = seed | 1;
  for (let index = 0; index < count; index++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[index] = state >>> 8;
  }
  return bytes;
}
