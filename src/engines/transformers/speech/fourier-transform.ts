/** A fast Fourier transform for any length: Whisper's windows have 400 samples, which is not a power of two. @module */

/** A complex transform of fixed length, in place, without allocations. */
export interface FourierTransform {
  readonly size: number;
  /** Transforms `real` and `imaginary` (each `size` long) in place, unscaled. */
  transform(real: Float64Array, imaginary: Float64Array): void;
}

interface Signal {
  real: Float64Array;
  imaginary: Float64Array;
}

interface Stage {
  radix: number;
  /** Length of the remaining sub-transforms after this stage. */
  rest: number;
  /** Number of adjacent values with the same twiddle factor. */
  stride: number;
  /** cos and sin of the twiddle factors, `[rest][radix]`. */
  cosines: Float64Array;
  sines: Float64Array;
  /** cos and sin of the `radix` roots of unity. */
  rootCosines: Float64Array;
  rootSines: Float64Array;
}

/** Prepares the twiddle factors for `size` (at least 1); fast when its prime factors are small. */
export function createFourierTransform(size: number): FourierTransform {
  const stages = planStages(size);
  const spare = { real: new Float64Array(size), imaginary: new Float64Array(size) };
  return {
    size,
    transform(real, imaginary) {
      let from: Signal = { real, imaginary };
      let to: Signal = spare;
      for (const stage of stages) {
        runStage(stage, from, to);
        [from, to] = [to, from];
      }
      if (from.real === real) return;
      real.set(from.real);
      imaginary.set(from.imaginary);
    },
  };
}

function planStages(size: number): Stage[] {
  const stages: Stage[] = [];
  let length = size;
  let stride = 1;
  for (const radix of factorize(size)) {
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
    const roots = Array.from({ length: radix }, (_, k) => (-2 * Math.PI * k) / radix);
    const rootCosines = Float64Array.from(roots, Math.cos);
    const rootSines = Float64Array.from(roots, Math.sin);
    stages.push({ radix, rest, stride, cosines, sines, rootCosines, rootSines });
    length = rest;
    stride *= radix;
  }
  return stages;
}

/** Fours first, because their butterflies are the cheapest, then primes. */
function factorize(size: number): number[] {
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
function runStage(stage: Stage, from: Signal, to: Signal): void {
  if (stage.radix === 4) runStageOfFour(stage, from, to);
  else runAnyStage(stage, from, to);
}

function runAnyStage(stage: Stage, from: Signal, to: Signal): void {
  const { radix, rest, stride, cosines, sines, rootCosines, rootSines } = stage;
  for (let p = 0; p < rest; p++) {
    for (let j = 0; j < radix; j++) {
      const cosine = cosines[p * radix + j]!;
      const sine = sines[p * radix + j]!;
      for (let q = 0; q < stride; q++) {
        let sumReal = 0;
        let sumImaginary = 0;
        let at = q + stride * p;
        let root = 0;
        for (let k = 0; k < radix; k++) {
          const real = from.real[at]!;
          const imaginary = from.imaginary[at]!;
          sumReal += real * rootCosines[root]! - imaginary * rootSines[root]!;
          sumImaginary += real * rootSines[root]! + imaginary * rootCosines[root]!;
          at += stride * rest;
          root += j;
          if (root >= radix) root -= radix;
        }
        const target = q + stride * (radix * p + j);
        to.real[target] = sumReal * cosine - sumImaginary * sine;
        to.imaginary[target] = sumReal * sine + sumImaginary * cosine;
      }
    }
  }
}

/** The same for four values, whose transform needs no multiplication. */
function runStageOfFour({ rest, stride, cosines, sines }: Stage, from: Signal, to: Signal): void {
  const step = stride * rest;
  for (let p = 0; p < rest; p++) {
    for (let q = 0; q < stride; q++) {
      const at = q + stride * p;
      const sumReal = from.real[at]! + from.real[at + 2 * step]!;
      const sumImaginary = from.imaginary[at]! + from.imaginary[at + 2 * step]!;
      const gapReal = from.real[at]! - from.real[at + 2 * step]!;
      const gapImaginary = from.imaginary[at]! - from.imaginary[at + 2 * step]!;
      const otherSumReal = from.real[at + step]! + from.real[at + 3 * step]!;
      const otherSumImaginary = from.imaginary[at + step]! + from.imaginary[at + 3 * step]!;
      const otherGapReal = from.real[at + step]! - from.real[at + 3 * step]!;
      const otherGapImaginary = from.imaginary[at + step]! - from.imaginary[at + 3 * step]!;
      const target = q + stride * 4 * p;
      const turn = p * 4;
      to.real[target] = sumReal + otherSumReal;
      to.imaginary[target] = sumImaginary + otherSumImaginary;
      to.real[target + stride] = gapReal + otherGapImaginary;
      to.imaginary[target + stride] = gapImaginary - otherGapReal;
      to.real[target + 2 * stride] = sumReal - otherSumReal;
      to.imaginary[target + 2 * stride] = sumImaginary - otherSumImaginary;
      to.real[target + 3 * stride] = gapReal - otherGapImaginary;
      to.imaginary[target + 3 * stride] = gapImaginary + otherGapReal;
      for (let k = 1; k < 4; k++) rotate(to, target + k * stride, cosines[turn + k]!, sines[turn + k]!);
    }
  }
}

function rotate(values: Signal, at: number, cosine: number, sine: number): void {
  const real = values.real[at]!;
  const imaginary = values.imaginary[at]!;
  values.real[at] = real * cosine - imaginary * sine;
  values.imaginary[at] = real * sine + imaginary * cosine;
}
