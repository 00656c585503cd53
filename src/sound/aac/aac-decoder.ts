/**
 * Decodes AAC, the low-complexity profile, which is what phones and editors write. Of high-efficiency files the lower half of
 * the band is decoded, which has all that speech recognition reads.
 * @module
 */
import { RATES } from './aac-tables.js';
import { BitReader } from './bit-reader.js';
import { BAND, type ChannelStream, readChannel, readWindows, shapeNoise, type Windows } from './channel-stream.js';
import { ChannelOverlap, SEQUENCE } from './filter-bank.js';

/** Sound of a packet. */
interface AacSound {
  channelData: Float32Array[];
  sampleRate: number;
}

/** The profiles of the standard that are known here: its number, and those of its extensions. */
const [LOW_COMPLEXITY, EXTENSIONS] = [2, [5, 29]];

/**
 * @param description the container's `AudioSpecificConfig`; empty: each packet has a header of its own (ADTS)
 * @throws Error for another profile
 */
export function openAacDecoder(
  description: Uint8Array,
  { sampleRate }: { sampleRate: number },
): { decode(packet: Uint8Array): AacSound; free(): void } {
  const named = description.length > 0 ? rateOf(description) : nearestRate(sampleRate);
  const overlaps: ChannelOverlap[] = [];
  return {
    decode(packet) {
      const header = adtsHeader(packet);
      const rate = header?.rate ?? named;
      const streams = readFrame(new BitReader(packet.subarray(header?.bytes ?? 0)), rate);
      const channelData = streams.map((stream, channel) => {
        shapeNoise(stream);
        const overlap = (overlaps[channel] ??= new ChannelOverlap());
        return overlap.synthesize(stream.spectrum, stream.windows.sequence, stream.windows.form);
      });
      return { channelData, sampleRate: RATES[rate]! };
    },
    free() {},
  };
}

/** Index of the sampling rate that an `AudioSpecificConfig` names. */
function rateOf(description: Uint8Array): number {
  const bits = new BitReader(description);
  const readProfile = (): number => {
    const profile = bits.read(5);
    return profile === 31 ? 32 + bits.read(6) : profile;
  };
  const readRate = (): number => {
    const index = bits.read(4);
    return index === 15 ? nearestRate(bits.read(24)) : index;
  };
  let profile = readProfile();
  const rate = readRate();
  bits.skip(4);
  if (EXTENSIONS.includes(profile)) {
    readRate();
    profile = readProfile();
  }
  const isShortened = bits.flag();
  if (profile !== LOW_COMPLEXITY || isShortened || rate >= RATES.length)
    throw new Error('This profile of AAC is not supported.');
  return rate;
}

function nearestRate(hertz: number): number {
  const distances = RATES.map((rate) => Math.abs(rate - hertz));
  return distances.indexOf(Math.min(...distances));
}

/** The header of a packet that brings its own. */
function adtsHeader(packet: Uint8Array): { rate: number; bytes: number } | undefined {
  const isHeader = packet.length > 7 && packet[0] === 0xff && (packet[1]! & 0xf6) === 0xf0;
  if (!isHeader) return undefined;
  const hasChecksum = (packet[1]! & 1) === 0;
  return { rate: Math.min((packet[2]! >> 2) & 15, RATES.length - 1), bytes: hasChecksum ? 9 : 7 };
}

/** What stands in a frame, by its number. */
const ELEMENT = { single: 0, pair: 1, coupling: 2, low: 3, data: 4, program: 5, fill: 6, end: 7 };

function readFrame(bits: BitReader, rate: number): ChannelStream[] {
  const channels: ChannelStream[] = [];
  for (;;) {
    const element = bits.read(3);
    if (element === ELEMENT.end) return channels;
    if (element === ELEMENT.coupling) throw new Error('This profile of AAC is not supported.');
    if (element === ELEMENT.fill) {
      const count = bits.read(4);
      bits.skip(8 * (count === 15 ? 14 + bits.read(8) : count));
    } else if (element === ELEMENT.program) skipProgram(bits);
    else {
      // Its number.
      bits.skip(4);
      if (element === ELEMENT.data) skipData(bits);
      else if (element === ELEMENT.pair) channels.push(...readPair(bits, rate));
      else channels.push(readChannel(bits, rate, undefined));
    }
  }
}

function skipData(bits: BitReader): void {
  const isAligned = bits.flag();
  const count = bits.read(8);
  const more = count === 255 ? bits.read(8) : 0;
  if (isAligned) bits.toByte();
  bits.skip(8 * (count + more));
}

/** Which speakers the channels are for. */
function skipProgram(bits: BitReader): void {
  bits.skip(4 + 2 + 4);
  const [front, side, back, low, data, coupling] = [4, 4, 4, 2, 3, 4].map((width) => bits.read(width)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  for (const width of [4, 4, 3]) if (bits.flag()) bits.skip(width);
  bits.skip(5 * (front + side + back + coupling) + 4 * (low + data));
  bits.toByte();
  bits.skip(8 * bits.read(8));
}

function readPair(bits: BitReader, rate: number): [ChannelStream, ChannelStream] {
  const windows = bits.flag() ? readWindows(bits, rate) : undefined;
  const isJoint = windows ? readJoint(bits, windows) : () => false;
  const [left, right] = [readChannel(bits, rate, windows), readChannel(bits, rate, windows)];
  if (windows) joinPair(left, right, isJoint);
  return [left, right];
}

type IsJoint = (group: number, band: number) => boolean;

/** The bands whose channels are sum and difference. */
function readJoint(bits: BitReader, { groups, bands }: Windows): IsJoint {
  const mask = bits.read(2);
  if (mask !== 1) return () => mask === 2;
  const flags = groups.map(() => Array.from({ length: bands }, () => bits.flag()));
  return (group, band) => flags[group]![band]!;
}

/** Makes left and right of sum and difference, and the right channel of bands that have only a position between the two. */
function joinPair(left: ChannelStream, right: ChannelStream, isJoint: IsJoint): void {
  const { groups, bands, offsets, sequence } = left.windows;
  const windowLength = sequence === SEQUENCE.short ? 128 : 1024;
  let firstWindow = 0;
  for (const [group, count] of groups.entries()) {
    for (let band = 0; band < bands; band++) {
      const [ofLeft, kind] = [left.kinds[group]![band]!, right.kinds[group]![band]!];
      const isPosition = kind === BAND.intensity || kind === BAND.oppositeIntensity;
      const isSum = isJoint(group, band) && kind < BAND.noise && ofLeft < BAND.noise;
      if (!isPosition && !isSum) continue;
      const isOpposite = (kind === BAND.oppositeIntensity) !== isJoint(group, band);
      const share = (isOpposite ? -1 : 1) * 0.5 ** (0.25 * right.factors[group]![band]!);
      for (let window = firstWindow; window < firstWindow + count; window++) {
        const at = window * windowLength;
        for (let index = at + offsets[band]!; index < at + offsets[band + 1]!; index++) {
          const [first, second] = [left.spectrum[index]!, right.spectrum[index]!];
          if (isSum) left.spectrum[index] = first + second;
          right.spectrum[index] = isSum ? first - second : first * share;
        }
      }
    }
    firstWindow += count;
  }
}
