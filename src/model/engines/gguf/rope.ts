/** Rotary positions: the angles by which pairs of numbers are rotated. Computed in 64-bit floats. @module */

/** As a file says it. */
export interface RopeShape {
  /** Numbers of a head that are rotated. */
  size: number;
  base: number;
  scaling: RopeScaling;
  /** Divisors of the frequencies, one for each pair; absent: 1. */
  factors?: Float32Array | undefined;
}

export type RopeScaling =
  | { type: 'none' }
  | { type: 'linear'; factor: number }
  | {
      type: 'yarn';
      factor: number;
      originalContext: number;
      /** Of cos and sin, beside what follows from `factor`. */
      attentionFactor: number;
      betaFast: number;
      betaSlow: number;
    };

export class Rope {
  /** Numbers of a head that are rotated. */
  readonly size: number;
  readonly #frequencies: Float64Array;
  readonly #magnitude: number;

  constructor(shape: RopeShape) {
    this.size = shape.size;
    const { scaling } = shape;
    this.#frequencies = Float64Array.from({ length: shape.size / 2 }, (_, pair) => frequency(shape, pair));
    this.#magnitude = scaling.type === 'yarn' ? scaling.attentionFactor * (1 + 0.1 * Math.log(scaling.factor)) : 1;
  }

  /**
   * Writes cos and sin of a position, one for each pair.
   * @param at where they begin in the arrays
   */
  write(position: number, cos: Float32Array, sin: Float32Array, at: number): void {
    const frequencies = this.#frequencies;
    for (let pair = 0; pair < frequencies.length; pair++) {
      const angle = position * frequencies[pair]!;
      cos[at + pair] = Math.cos(angle) * this.#magnitude;
      sin[at + pair] = Math.sin(angle) * this.#magnitude;
    }
  }
}

function frequency({ size, base, scaling, factors }: RopeShape, pair: number): number {
  const plain = base ** ((-2 * pair) / size) / (factors?.[pair] ?? 1);
  if (scaling.type === 'none') return plain;
  const slowed = plain / scaling.factor;
  if (scaling.type === 'linear') return slowed;
  // Pairs that turn often within the original context keep their frequency, those that do not turn are slowed down.
  const low = Math.max(0, Math.floor(pairOfTurns(size, base, scaling.originalContext, scaling.betaFast)));
  const high = Math.min(size - 1, Math.ceil(pairOfTurns(size, base, scaling.originalContext, scaling.betaSlow)));
  const ramp = Math.min(1, Math.max(0, (pair - low) / Math.max(0.001, high - low)));
  return slowed * ramp + plain * (1 - ramp);
}

/** The pair that turns so many times within a context. */
function pairOfTurns(size: number, base: number, context: number, turns: number): number {
  return (size * Math.log(context / (turns * 2 * Math.PI))) / (2 * Math.log(base));
}
