/** Scales embeddings to length 1, as every backend must give them. @module */

/** The vector cut to its first `dimensions` numbers (absent: all) and scaled to length 1; a zero vector stays zero. */
export function normaliseVector(vector: Float32Array, dimensions?: number): Float32Array {
  const unit = dimensions === undefined ? vector.slice() : vector.slice(0, dimensions);
  let squares = 0;
  for (const value of unit) squares += value * value;
  const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
  for (let i = 0; i < unit.length; i++) unit[i]! *= scale;
  return unit;
}
