/** Rotary positions: the angles by which pairs of numbers are rotated. Computed in 64-bit floats. @module */

/** As a file says it. */
export interface RopeShape {
  /** Numbers of a head that are rotated. */
  size: number;
  base: number;
  /** Frequencies are divided by it; 1: they are not scaled. */
  factor: number;
  /** Not all frequencies are divided alike. */
  yarn?: YarnRamp | undefined;
  /** Cos and sin are multiplied by it, beside what follows from YaRN. */
  magnitude: number;
  /** Further divisors of the frequencies, one for each pair; absent: 1. */
  factors?: Float32Array | undefined;
}

interface YarnRamp {
  originalContext: number;
  betaFast: number;
  betaSlow: number;
}

export class Rope {
  /** Numbers of a head that are rotated. */
  readonly size: number;
  readonly #frequencies: Float64Array;
  readonly #magnitude: number;

  constructor(shape: RopeShape) {
    const { size, factor, yarn, magnitude } = shape;
    this.size = size;
    this.#frequencies = Float64Array.from({ length: size / 2 }, (_, pair) => frequency(shape, pair));
    this.#magnitude = yarn ? magnitude * (1 + 0.1 * Math.log(factor)) : magnitude;
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

function frequency({ size, base, factor, yarn, factors }: RopeShape, pair: number): number {
  const plain = base ** ((-2 * pair) / size) / (factors?.[pair] ?? 1);
  const slowed = plain / factor;
  if (!yarn) return slowed;
  // Pairs that turn often within the original context keep their frequency, those that do not turn are slowed down.
  const { originalContext, betaFast, betaSlow } = yarn;
  const low = Math.max(0, Math.floor(pairOfTurns(size, base, originalContext, betaFast)));
  const high = Math.min(size - 1, Math.ceil(pairOfTurns(size, base, originalContext, betaSlow)));
  const ramp = Math.min(1, Math.max(0, (pair - low) / Math.max(0.001, high - low)));
  return slowed * ramp + plain * (1 - ramp);
}

/** The pair that turns so many times within a context. */
function pairOfTurns(size: number, base: number, context: number, turns: number): number {
  return (size * Math.log(context / (turns * 2 * Math.PI))) / (2 * Math.log(base));
}
