/** From the spectrum of a window to samples: the inverse MDCT, and how windows overlap. @module */

/** Which windows a frame has. */
export const SEQUENCE = { long: 0, start: 1, short: 2, stop: 3 } as const;

/** Samples of a frame, and of each of its eight short windows. */
const [FRAME, SHORT] = [1024, 128];

/** What is left of a channel's last frame. */
export class ChannelOverlap {
  readonly #overlap = new Float32Array(FRAME);
  /** Number of the form of its last window. */
  #form = 0;

  /**
   * @param spectrum of a frame: 1024 numbers, eight times 128 for short windows
   * @param form 0: sine, 1: Kaiser-Bessel
   * @returns 1024 samples, -1 to 1
   */
  synthesize(spectrum: Float32Array, sequence: number, form: number): Float32Array {
    const output =
      sequence === SEQUENCE.short ? this.#shortWindows(spectrum, form) : this.#longWindow(spectrum, sequence, form);
    const samples = new Float32Array(FRAME);
    for (let index = 0; index < FRAME; index++) samples[index] = (output[index]! + this.#overlap[index]!) / 32_768;
    this.#overlap.set(output.subarray(FRAME));
    this.#form = form;
    return samples;
  }

  #longWindow(spectrum: Float32Array, sequence: number, form: number): Float32Array {
    const output = LONG_TRANSFORM.inverse(spectrum);
    const rising = sequence === SEQUENCE.stop ? slope(SHORT, this.#form) : slope(FRAME, this.#form);
    const falling = sequence === SEQUENCE.start ? slope(SHORT, form) : slope(FRAME, form);
    // A short slope stands in the middle: before it there is silence, behind it the whole sound.
    const [before, after] = [rising, falling].map(({ length }) => (FRAME - length) / 2) as [number, number];
    output.fill(0, 0, before);
    for (let index = 0; index < rising.length; index++) output[before + index]! *= rising[index]!;
    for (let index = 0; index < falling.length; index++)
      output[FRAME + after + index]! *= falling[falling.length - 1 - index]!;
    output.fill(0, FRAME + after + falling.length);
    return output;
  }

  #shortWindows(spectrum: Float32Array, form: number): Float32Array {
    const output = new Float32Array(2 * FRAME);
    for (let window = 0; window < 8; window++) {
      const samples = SHORT_TRANSFORM.inverse(spectrum.subarray(window * SHORT, (window + 1) * SHORT));
      const [rising, falling] = [slope(SHORT, window === 0 ? this.#form : form), slope(SHORT, form)];
      const at = (FRAME - SHORT) / 2 + window * SHORT;
      for (let index = 0; index < SHORT; index++) {
        output[at + index]! += samples[index]! * rising[index]!;
        output[at + SHORT + index]! += samples[SHORT + index]! * falling[SHORT - 1 - index]!;
      }
    }
    return output;
  }
}

const slopes = new Map<string, Float32Array>();

/** The rising half of a window. */
function slope(length: number, form: number): Float32Array {
  const name = `${length} ${form}`;
  const known = slopes.get(name);
  if (known) return known;
  const made = form === 0 ? sineSlope(length) : kaiserSlope(length, length === FRAME ? 4 : 6);
  slopes.set(name, made);
  return made;
}

function sineSlope(length: number): Float32Array {
  return Float32Array.from({ length }, (_, index) => Math.sin((Math.PI / (2 * length)) * (index + 0.5)));
}

function kaiserSlope(length: number, alpha: number): Float32Array {
  const kernel = Float64Array.from({ length: length + 1 }, (_, index) => {
    const x = (4 * index) / (2 * length) - 1;
    return bessel(Math.PI * alpha * Math.sqrt(Math.max(0, 1 - x * x)));
  });
  const whole = kernel.reduce((sum, each) => sum + each, 0);
  let sum = 0;
  return Float32Array.from({ length }, (_, index) => Math.sqrt((sum += kernel[index]!) / whole));
}

/** Modified Bessel function of the first kind, order zero. */
function bessel(x: number): number {
  let [sum, term] = [1, 1];
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

/** The inverse MDCT of one size, by a Fourier transform of a quarter of it. */
class InverseMdct {
  /** Samples that come out. */
  readonly #length: number;
  readonly #cosines: Float64Array;
  readonly #sines: Float64Array;
  readonly #real: Float64Array;
  readonly #imaginary: Float64Array;

  constructor(length: number) {
    this.#length = length;
    const quarter = length / 4;
    const angle = (index: number): number => (2 * Math.PI * (index + 1 / 8)) / length;
    this.#cosines = Float64Array.from({ length: quarter }, (_, index) => Math.cos(angle(index)));
    this.#sines = Float64Array.from({ length: quarter }, (_, index) => Math.sin(angle(index)));
    this.#real = new Float64Array(quarter);
    this.#imaginary = new Float64Array(quarter);
  }

  inverse(spectrum: Float32Array): Float32Array {
    const [n, half, quarter, eighth] = [1, 2, 4, 8].map((part) => this.#length / part) as [
      number,
      number,
      number,
      number,
    ];
    const [re, im, cos, sin] = [this.#real, this.#imaginary, this.#cosines, this.#sines];
    for (let k = 0; k < quarter; k++) {
      const [x, y] = [spectrum[2 * k]!, spectrum[half - 1 - 2 * k]!];
      im[k] = x * cos[k]! + y * sin[k]!;
      re[k] = y * cos[k]! - x * sin[k]!;
    }
    transform(re, im);
    for (let k = 0; k < quarter; k++) {
      const [x, y] = [im[k]!, re[k]!];
      im[k] = x * cos[k]! + y * sin[k]!;
      re[k] = y * cos[k]! - x * sin[k]!;
    }
    const output = new Float32Array(n);
    const scale = 2 / n;
    for (let k = 0; k < eighth; k++) {
      output[2 * k] = im[eighth + k]! * scale;
      output[2 * k + 1] = -re[eighth - 1 - k]! * scale;
      output[quarter + 2 * k] = re[k]! * scale;
      output[quarter + 2 * k + 1] = -im[quarter - 1 - k]! * scale;
      output[half + 2 * k] = re[eighth + k]! * scale;
      output[half + 2 * k + 1] = -im[eighth - 1 - k]! * scale;
      output[half + quarter + 2 * k] = -im[k]! * scale;
      output[half + quarter + 2 * k + 1] = re[quarter - 1 - k]! * scale;
    }
    return output;
  }
}

const LONG_TRANSFORM = new InverseMdct(2 * FRAME);
const SHORT_TRANSFORM = new InverseMdct(2 * SHORT);

/** The inverse Fourier transform, in place and without its factor. The length is a power of two. */
function transform(re: Float64Array, im: Float64Array): void {
  const { length } = re;
  for (let index = 1, other = 0; index < length; index++) {
    let bit = length >> 1;
    for (; other & bit; bit >>= 1) other ^= bit;
    other |= bit;
    if (index < other) {
      [re[index], re[other]] = [re[other]!, re[index]!];
      [im[index], im[other]] = [im[other]!, im[index]!];
    }
  }
  for (let size = 2; size <= length; size *= 2) {
    for (let k = 0; k < size / 2; k++) {
      const [cos, sin] = [Math.cos((2 * Math.PI * k) / size), Math.sin((2 * Math.PI * k) / size)];
      for (let a = k, b = k + size / 2; b < length; a += size, b += size) {
        const [x, y] = [re[b]! * cos - im[b]! * sin, re[b]! * sin + im[b]! * cos];
        re[b] = re[a]! - x;
        im[b] = im[a]! - y;
        re[a]! += x;
        im[a]! += y;
      }
    }
  }
}
