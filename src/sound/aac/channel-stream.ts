/** One channel of a frame of AAC: what its bits say, and the spectrum that follows from it. @module */
import { bandOffsets, CODEBOOKS, SHAPED_BANDS, SPECTRAL } from './aac-tables.js';
import { type BitReader, prefixCode } from './bit-reader.js';
import { SEQUENCE } from './filter-bank.js';

/** Windows of a frame, which both channels of a pair may share. */
export interface Windows {
  sequence: number;
  /** Number of the form of the window. */
  form: number;
  /** Bands that have numbers. */
  bands: number;
  /** Windows of each group, whose bands share scale factors. */
  groups: readonly number[];
  offsets: readonly number[];
  /** Index of the sampling rate. */
  rate: number;
}

/** Kinds of bands beside those with codebooks. */
export const BAND = { zero: 0, noise: 13, oppositeIntensity: 14, intensity: 15 } as const;

/** A channel whose bits were read. */
export interface ChannelStream {
  windows: Windows;
  /** By group and band. */
  kinds: readonly (readonly number[])[];
  /** Scale factors, strengths of noise or positions, by group and band. */
  factors: readonly (readonly number[])[];
  spectrum: Float32Array;
  shaping: readonly (readonly Shape[])[];
}

/** A filter that shapes the noise of a window. */
interface Shape {
  /** Bands that it covers, from the top down. */
  length: number;
  isDownwards: boolean;
  coefficients: readonly number[];
}

const CODES = CODEBOOKS.map(prefixCode);
const FACTORS = CODES[11]!;

export function readWindows(bits: BitReader, rate: number): Windows {
  bits.skip(1);
  const [sequence, form] = [bits.read(2), bits.read(1)];
  const isShort = sequence === SEQUENCE.short;
  const bands = bits.read(isShort ? 4 : 6);
  const groups = [1];
  const windows = isShort ? 8 : 1;
  for (let window = 1; window < windows; window++) {
    if (bits.flag()) groups[groups.length - 1]! += 1;
    else groups.push(1);
  }
  if (!isShort && bits.flag()) throw new Error('This profile of AAC is not supported.');
  const offsets = bandOffsets(rate, isShort);
  if (bands >= offsets.length) throw new RangeError('The packet of sound is damaged.');
  return { sequence, form, bands, groups, offsets, rate };
}

/** @param shared windows of the pair */
export function readChannel(bits: BitReader, rate: number, shared: Windows | undefined): ChannelStream {
  const gain = bits.read(8);
  const windows = shared ?? readWindows(bits, rate);
  const isShort = windows.sequence === SEQUENCE.short;
  const kinds = readKinds(bits, windows);
  const factors = readFactors(bits, kinds, gain);
  const pulses = bits.flag() ? readPulses(bits, windows) : [];
  const shaping = bits.flag() ? readShaping(bits, isShort) : [];
  if (bits.flag()) throw new Error('This profile of AAC is not supported.');
  const spectrum = readSpectrum(bits, windows, { kinds, factors, pulses });
  return { windows, kinds, factors, spectrum, shaping };
}

function readKinds(bits: BitReader, { bands, groups, sequence }: Windows): number[][] {
  const width = sequence === SEQUENCE.short ? 3 : 5;
  const escape = 2 ** width - 1;
  return groups.map(() => {
    const kinds: number[] = [];
    while (kinds.length < bands) {
      const kind = bits.read(4);
      let [length, step] = [0, escape];
      while (step === escape) length += step = bits.read(width);
      if (kind === 12 || kinds.length + length > bands) throw new RangeError('The packet of sound is damaged.');
      for (let band = 0; band < length; band++) kinds.push(kind);
    }
    return kinds;
  });
}

function readFactors(bits: BitReader, kinds: readonly (readonly number[])[], gain: number): number[][] {
  let [scale, position, noise] = [gain, 0, gain - 90];
  let isFirstNoise = true;
  const step = (): number => bits.word(FACTORS) - 60;
  return kinds.map((group) =>
    group.map((kind) => {
      if (kind === BAND.zero) return 0;
      if (kind === BAND.intensity || kind === BAND.oppositeIntensity) return (position += step());
      if (kind !== BAND.noise) return (scale += step());
      noise += isFirstNoise ? bits.read(9) - 256 : step();
      isFirstNoise = false;
      return noise;
    }),
  );
}

interface Pulse {
  at: number;
  size: number;
}

function readPulses(bits: BitReader, { offsets }: Windows): Pulse[] {
  const count = bits.read(2) + 1;
  let at = offsets[bits.read(6)] ?? 1024;
  return Array.from({ length: count }, () => ({ at: (at += bits.read(5)), size: bits.read(4) }));
}

function readShaping(bits: BitReader, isShort: boolean): Shape[][] {
  return Array.from({ length: isShort ? 8 : 1 }, () => {
    const count = bits.read(isShort ? 1 : 2);
    if (count === 0) return [];
    const resolution = bits.read(1) + 3;
    return Array.from({ length: count }, () => {
      const [length, order] = [bits.read(isShort ? 4 : 6), bits.read(isShort ? 3 : 5)];
      if (order === 0) return { length, isDownwards: false, coefficients: [] };
      const isDownwards = bits.flag();
      const width = resolution - bits.read(1);
      const coefficients = Array.from({ length: order }, () => {
        const word = bits.read(width);
        const signed = word >= 2 ** (width - 1) ? word - 2 ** width : word;
        const steps = (2 ** (resolution - 1) + (signed < 0 ? 0.5 : -0.5)) / (Math.PI / 2);
        return Math.sin(signed / steps);
      });
      return { length, isDownwards, coefficients };
    });
  });
}

/** Reads the numbers of all bands, and makes them as large as their scale factors say. */
function readSpectrum(
  bits: BitReader,
  { groups, offsets, bands, sequence }: Windows,
  { kinds, factors, pulses }: Pick<ChannelStream, 'kinds' | 'factors'> & { pulses: readonly Pulse[] },
): Float32Array {
  const spectrum = new Float32Array(1024);
  const windowLength = sequence === SEQUENCE.short ? 128 : 1024;
  let firstWindow = 0;
  for (const [group, count] of groups.entries()) {
    for (let band = 0; band < bands; band++) {
      const kind = kinds[group]![band]!;
      const [from, to] = [offsets[band]!, offsets[band + 1]!];
      for (let window = firstWindow; window < firstWindow + count; window++) {
        const at = window * windowLength;
        const numbers = spectrum.subarray(at + from, at + to);
        if (kind === BAND.noise) fillWithNoise(numbers, factors[group]![band]!);
        if (kind === BAND.zero || kind > 11) continue;
        readNumbers(bits, kind, numbers);
        if (windowLength === 1024)
          for (const { at: pulse, size } of pulses)
            if (pulse >= from && pulse < to) numbers[pulse - from]! += numbers[pulse - from]! > 0 ? size : -size;
        const scale = 2 ** (0.25 * (factors[group]![band]! - 100));
        for (const [index, number] of numbers.entries())
          numbers[index] = Math.sign(number) * Math.abs(number) ** (4 / 3) * scale;
      }
    }
    firstWindow += count;
  }
  return spectrum;
}

function readNumbers(bits: BitReader, kind: number, numbers: Float32Array): void {
  const { size, radix, least } = SPECTRAL[kind - 1]!;
  const code = CODES[kind - 1]!;
  for (let at = 0; at < numbers.length; at += size) {
    let word = bits.word(code);
    for (let index = size - 1; index >= 0; index--) {
      numbers[at + index] = (word % radix) + least;
      word = Math.floor(word / radix);
    }
    if (least < 0) continue;
    const isNegative = Array.from(numbers.subarray(at, at + size), (number) => number !== 0 && bits.flag());
    for (const [index, isBelow] of isNegative.entries()) {
      let number = numbers[at + index]!;
      if (kind === 11 && number === 16) number = readEscaped(bits);
      numbers[at + index] = isBelow ? -number : number;
    }
  }
}

function readEscaped(bits: BitReader): number {
  let width = 4;
  while (bits.flag()) width++;
  if (width > 13) throw new RangeError('The packet of sound is damaged.');
  return 2 ** width + bits.read(width);
}

let seed = 1;

/** Noise stands for what sounded like it. */
function fillWithNoise(numbers: Float32Array, strength: number): void {
  let energy = 0;
  for (let index = 0; index < numbers.length; index++) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0;
    numbers[index] = seed / 2 ** 31;
    energy += numbers[index]! ** 2;
  }
  const scale = 2 ** (0.25 * strength) / Math.sqrt(energy || 1);
  for (let index = 0; index < numbers.length; index++) numbers[index]! *= scale;
}

/** Runs the filters that shape the noise of each window, in place. */
export function shapeNoise({ windows, spectrum, shaping }: ChannelStream): void {
  const { offsets, bands, sequence, rate } = windows;
  const isShort = sequence === SEQUENCE.short;
  const most = Math.min(bands, SHAPED_BANDS[isShort ? 'short' : 'long'][rate]!);
  for (const [window, shapes] of shaping.entries()) {
    let bottom = offsets.length - 1;
    for (const { length, isDownwards, coefficients } of shapes) {
      const top = bottom;
      bottom = Math.max(0, top - length);
      const [from, to] = [offsets[Math.min(bottom, most)]!, offsets[Math.min(top, most)]!];
      const band = spectrum.subarray(window * 128 + from, window * 128 + to);
      if (isDownwards) band.reverse();
      filter(band, predictor(coefficients));
      if (isDownwards) band.reverse();
    }
  }
}

/** From reflections to the weights of earlier numbers. */
function predictor(reflections: readonly number[]): number[] {
  let weights: number[] = [];
  for (const [order, reflection] of reflections.entries()) {
    const before = weights;
    weights = before.map((weight, index) => weight + reflection * before[order - 1 - index]!);
    weights.push(reflection);
  }
  return weights;
}

function filter(numbers: Float32Array, weights: readonly number[]): void {
  for (let at = 0; at < numbers.length; at++) {
    let number = numbers[at]!;
    for (let back = 1; back <= Math.min(at, weights.length); back++) number -= weights[back - 1]! * numbers[at - back]!;
    numbers[at] = number;
  }
}
