/** The alphabet of an automaton: stretches of code points, put into classes. @module */

/** Code points that an automaton treats alike form a class; classes are numbered from 0. */
export interface SymbolClasses {
  /** The code points at which a stretch of one class begins, in order. The first is 0; the last stretch has no end. */
  starts: readonly number[];
  /** Class of each stretch. */
  classOf: readonly number[];
  /** How many classes there are. */
  classes: number;
}

/** A range of code points, both ends included. */
export type Range = readonly [first: number, last: number];

/** The greatest code point. */
export const LAST_CODE_POINT = 0x10_ffff;

/** Code points where stretches begin when each of the ranges is made of whole stretches. */
export function startsOf(ranges: Iterable<Range>): number[] {
  const starts = new Set([0]);
  for (const [first, last] of ranges) {
    starts.add(first);
    if (last < LAST_CODE_POINT) starts.add(last + 1);
  }
  return [...starts].toSorted((left, right) => left - right);
}

/** Puts stretches with the same key into one class, and neighbours of one class into one stretch. */
export function splitSymbols(
  starts: readonly number[],
  keyOf: (start: number, stretch: number) => number,
): SymbolClasses {
  const known = new Map<number, number>();
  const kept: number[] = [];
  const classOf: number[] = [];
  starts.forEach((start, stretch) => {
    const key = keyOf(start, stretch);
    const own = known.get(key) ?? known.size;
    known.set(key, own);
    if (classOf.at(-1) === own) return;
    kept.push(start);
    classOf.push(own);
  });
  return { starts: kept, classOf, classes: known.size };
}

/** All code points are alike. */
export const ALIKE: SymbolClasses = { starts: [0], classOf: [0], classes: 1 };

/** The ranges of code points of each stretch, with its class. */
export function stretchesOf({ starts, classOf }: SymbolClasses): { range: Range; symbolClass: number }[] {
  return starts.map((start, stretch) => ({
    range: [start, (starts[stretch + 1] ?? LAST_CODE_POINT + 1) - 1],
    symbolClass: classOf[stretch]!,
  }));
}

/** The class of a code point. */
export function classAt({ starts, classOf }: SymbolClasses, codePoint: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (starts[middle]! <= codePoint) low = middle;
    else high = middle - 1;
  }
  return classOf[low]!;
}

/** Classes whose code points both treat alike; `pairs`: the class in each of them. */
export function sharedClasses(
  left: SymbolClasses,
  right: SymbolClasses,
): { symbols: SymbolClasses; pairs: (readonly [number, number])[] } {
  const starts = [...new Set([...left.starts, ...right.starts])].toSorted((one, other) => one - other);
  const pairs: (readonly [number, number])[] = [];
  const numbers = new Map<number, number>();
  let [inLeft, inRight] = [0, 0];
  const symbols = splitSymbols(starts, (start) => {
    if (left.starts[inLeft + 1] === start) inLeft += 1;
    if (right.starts[inRight + 1] === start) inRight += 1;
    const [one, other] = [left.classOf[inLeft]!, right.classOf[inRight]!];
    const key = one * right.classes + other;
    if (!numbers.has(key)) {
      numbers.set(key, pairs.length);
      pairs.push([one, other]);
    }
    return key;
  });
  return { symbols, pairs };
}
