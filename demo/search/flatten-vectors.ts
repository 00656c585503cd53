/** Many numbers to two: the plane in which the vectors lie widest apart (their first two principal components). */

export type Point = readonly [x: number, y: number];

/** Steps until a direction has settled; more do not move a dot. */
const STEPS = 30;

/** @returns what places any vector of this kind in the plane of the given ones */
export function planeOf(vectors: readonly (readonly number[])[]): (vector: readonly number[]) => Point {
  const size = vectors[0]?.length ?? 0;
  const mean = Array.from({ length: size }, (_, at) => sum(vectors.map((vector) => vector[at] ?? 0)) / vectors.length);
  const centred = vectors.map((vector) => vector.map((value, at) => value - (mean[at] ?? 0)));
  const first = widest(centred, []);
  const second = widest(centred, [first]);
  return (vector) => {
    const moved = vector.map((value, at) => value - (mean[at] ?? 0));
    return [dot(moved, first), dot(moved, second)];
  };
}

/** The direction of most variance that is at right angles to the others, by power iteration. */
function widest(vectors: readonly (readonly number[])[], others: readonly (readonly number[])[]): number[] {
  const size = vectors[0]?.length ?? 0;
  // Any start will do that is not at right angles to the answer; this one is the same every time.
  let direction = Array.from({ length: size }, (_, at) => Math.sin(at + 1));
  for (let step = 0; step < STEPS; step++) {
    const next = Array.from({ length: size }, () => 0);
    for (const vector of vectors) {
      const weight = dot(vector, direction);
      for (let at = 0; at < size; at++) next[at] = (next[at] ?? 0) + weight * (vector[at] ?? 0);
    }
    for (const other of others) {
      const along = dot(next, other);
      for (let at = 0; at < size; at++) next[at] = (next[at] ?? 0) - along * (other[at] ?? 0);
    }
    const length = Math.hypot(...next);
    if (length === 0) return direction;
    direction = next.map((value) => value / length);
  }
  return direction;
}

function dot(one: readonly number[], other: readonly number[]): number {
  return sum(one.map((value, at) => value * (other[at] ?? 0)));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
