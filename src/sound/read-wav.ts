/** Reads WAV files, which need no codec. @module */
import { isPlausibleRate } from './sample-collector.js';

/** Where the samples of a WAV file are and how they are written. */
export interface WavFile {
  sampleRate: number;
  channels: number;
  /** Samples per channel. */
  frames: number;
  /** The header states a length, and the file ends before the first sample. */
  isHeaderOnly: boolean;
  /** Frames `start` (inclusive) to `end` (exclusive) as mono, the mean of all channels, -1 to 1. */
  read(start: number, end: number): Float32Array;
}

/** Sizes from here on stand for "until the end": some recorders subtract their header from the greatest number. */
const GREATEST_SIZE = 0xffff_0000;

const PCM = 1;
const FLOAT = 3;
const EXTENSIBLE = 0xfffe;

interface Format {
  tag: number;
  channels: number;
  sampleRate: number;
  bits: number;
}

/** The file's samples; undefined when it is not a WAV file, is broken, or holds compressed sound. */
export function readWav(bytes: Uint8Array): WavFile | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 12 || !/^(RIFF|RF64)$/.test(ascii(view, 0)) || ascii(view, 8) !== 'WAVE') return undefined;
  let format: Format | undefined;
  for (let offset = 12; offset + 8 <= bytes.length;) {
    const name = ascii(view, offset);
    const size = view.getUint32(offset + 4, true);
    const start = offset + 8;
    if (name === 'fmt ') format = readFormat(view, start, Math.min(size, bytes.length - start));
    if (name === 'data') return format && openSamples(view, format, start, size);
    // Chunks begin at even offsets.
    offset = start + size + (size % 2);
  }
  return undefined;
}

function readFormat(view: DataView, start: number, size: number): Format | undefined {
  if (size < 16) return undefined;
  const tag = view.getUint16(start, true);
  return {
    // The extensible form keeps the real tag in the first bytes of its subformat.
    tag: tag === EXTENSIBLE && size >= 26 ? view.getUint16(start + 24, true) : tag,
    channels: view.getUint16(start + 2, true),
    sampleRate: view.getUint32(start + 4, true),
    bits: view.getUint16(start + 14, true),
  };
}

function openSamples(view: DataView, format: Format, start: number, size: number): WavFile | undefined {
  const { tag, channels, sampleRate, bits } = format;
  const readSample = sampleReader(view, tag, bits);
  const plausible = channels >= 1 && channels <= 64 && isPlausibleRate(sampleRate);
  if (!readSample || !plausible) return undefined;
  const sampleBytes = bits / 8;
  const frameBytes = sampleBytes * channels;
  // Recorders that write as they go leave the size at 0 or at its greatest value.
  const available = view.byteLength - start;
  const length = size === 0 || size > available ? available : size;
  return {
    sampleRate,
    channels,
    frames: Math.floor(length / frameBytes),
    isHeaderOnly: size >= frameBytes && size < GREATEST_SIZE && available < frameBytes,
    read(first, end) {
      const mono = new Float32Array(end - first);
      for (let frame = 0; frame < mono.length; frame++) {
        const at = start + (first + frame) * frameBytes;
        let sum = 0;
        for (let channel = 0; channel < channels; channel++) sum += readSample(at + channel * sampleBytes);
        mono[frame] = sum / channels;
      }
      return mono;
    },
  };
}

function sampleReader(view: DataView, tag: number, bits: number): ((offset: number) => number) | undefined {
  if (tag === FLOAT && bits === 32) return (offset) => finite(view.getFloat32(offset, true));
  if (tag === FLOAT && bits === 64) return (offset) => finite(view.getFloat64(offset, true));
  if (tag !== PCM) return undefined;
  switch (bits) {
    case 8:
      return (offset) => (view.getUint8(offset) - 128) / 128;
    case 16:
      return (offset) => view.getInt16(offset, true) / 32_768;
    case 24:
      return (offset) => (view.getInt16(offset + 1, true) * 256 + view.getUint8(offset)) / 8_388_608;
    case 32:
      return (offset) => view.getInt32(offset, true) / 2_147_483_648;
    default:
      return undefined;
  }
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

function ascii(view: DataView, offset: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(offset + i)));
}
