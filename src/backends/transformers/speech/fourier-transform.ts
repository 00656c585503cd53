/** A fast Fourier transform for lengths that are no power of two: Whisper's windows have 400 samples. @module */

/** A complex transform of fixed length, in place, without allocations. */
export interface FourierTransform {
  readonly size: number;
  /** Transforms `real` and `imaginary` (each `size` long) in place, unscaled. */
  transform(real: Float64Array, imaginary: Float64Array): void;
}

interface Stage {
  radix: number;
  /** Length of the remaining sub-transforms after this stage. */
  rest: number;
  /** Values that stand next to each other and share a twiddle factor. */
  stride: number;
  /** cos and sin of the twiddle factors, `[rest][radix]`. */
  cosines: Float64Array;
  sines: Float64Array;
}

/** Prepares the twiddle factors for `size` (at least 1); fast when its prime factors are small. */
export function createFourierTransform(size: number): FourierTransform {
  const stages = planStages(size);
  const spareReal = new Float64Array(size);
  const spareImaginary = new Float64Array(size);
  return {
    size,
    transform(real, imaginary) {
      let from: [Float64Array, Float64Array] = [real, imaginary];
      let to: [Float64Array, Float64Array] = [spareReal, spareImaginary];
      for (const stage of stages) {
        runStage(stage, from, to);
        [from, to] = [to, from];
      }
      if (from[0] === real) return;
      real.set(from[0]);
      imaginary.set(from[1]);
    },
  };
}

function planStages(size: number): Stage[] {
  const stages: Stage[] = [];
  let length = size;
  let stride = 1;
  for (const radix of factorsOf(size)) {
    const rest = length / radix;
    const cosines = new Float64Array(length);
    const sines = new Float64Array(length);
    for (let p = 0; p < rest; p++) {
      for (let j = 0; j < radix; j++) {
        const angle = (-2 * Math.PI * p * j) / length;
        cosines[p * radix + j] = Math.cos(angle);
        sines[p * radix + j] = Math.sin(angle);
      }
    }
    stages.push({ radix, rest, stride, cosines, sines });
    length = rest;
    stride *= radix;
  }
  return stages;
}

/** Fours first, because their butterflies are the cheapest, then primes. */
function factorsOf(size: number): number[] {
  const factors: number[] = [];
  let rest = size;
  for (const factor of [4, 2, 3, 5, 7]) {
    while (rest % factor === 0) {
      factors.push(factor);
      rest /= factor;
    }
  }
  return rest > 1 ? [...factors, rest] : factors;
}

/** One Stockham stage: small transforms of `radix` values each, results in their final order. */
function runStage(stage: Stage, from: [Float64Array, Float64Array], to: [Float64Array, Float64Array]): void {
  const { radix, rest, stride, cosines, sines } = stage;
  const [fromReal, fromImaginary] = from;
  const [toReal, toImaginary] = to;
  const rootCosines = new Float64Array(radix);
  const rootSines = new Float64Array(radix);
  for (let k = 0; k < radix; k++) {
    rootCosines[k] = Math.cos((-2 * Math.PI * k) / radix);
    rootSines[k] = Math.sin((-2 * Math.PI * k) / radix);
  }
  for (let p = 0; p < rest; p++) {
    for (let j = 0; j < radix; j++) {
      const cosine = cosines[p * radix + j]!;
      const sine = sines[p * radix + j]!;
      for (let q = 0; q < stride; q++) {
        let sumReal = 0;
        let sumImaginary = 0;
        for (let k = 0; k < radix; k++) {
          const at = q + stride * (p + rest * k);
          const root = (j * k) % radix;
          const rootCosine = rootCosines[root]!;
          const rootSine = rootSines[root]!;
          sumReal += fromReal[at]! * rootCosine - fromImaginary[at]! * rootSine;
          sumImaginary += fromReal[at]! * rootSine + fromImaginary[at]! * rootCosine;
        }
        const target = q + stride * (radix * p + j);
        toReal[target] = sumReal * cosine - sumImaginary * sine;
        toImaginary[target] = sumReal * sine + sumImaginary * cosine;
      }
    }
  }
}
