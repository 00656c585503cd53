import { describe, expect, it } from 'vitest';
import { readWav } from '../../src/sound/read-wav.js';

interface WavOptions {
  tag?: number;
  bits?: number;
  channels?: number;
  extensible?: boolean;
  /** What the data chunk says of its size; absent: the truth. */
  statedSize?: number;
  /** A chunk in front of the data. */
  extraChunk?: Uint8Array;
}

/** A WAV file around ready sample bytes, 8 kHz. */
function wavFile(data: Uint8Array, options: WavOptions = {}): Uint8Array {
  const { tag = 1, bits = 16, channels = 1, extensible = false, extraChunk } = options;
  const format = new DataView(new ArrayBuffer(extensible ? 40 : 16));
  format.setUint16(0, extensible ? 0xfffe : tag, true);
  format.setUint16(2, channels, true);
  format.setUint32(4, 8000, true);
  format.setUint16(14, bits, true);
  if (extensible) format.setUint16(24, tag, true);
  const chunks = [chunk('fmt ', new Uint8Array(format.buffer))];
  if (extraChunk) chunks.push(chunk('LIST', extraChunk));
  chunks.push(chunk('data', data, options.statedSize));
  const body = concat([text('WAVE'), ...chunks]);
  return chunk('RIFF', body);
}

function chunk(name: string, body: Uint8Array, size: number = body.length): Uint8Array {
  const length = new DataView(new ArrayBuffer(4));
  length.setUint32(0, size, true);
  const padding = new Uint8Array(body.length % 2);
  return concat([text(name), new Uint8Array(length.buffer), body, padding]);
}

const text = (value: string) => new TextEncoder().encode(value);

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function samplesOf(file: Uint8Array): number[] {
  const wav = readWav(file)!;
  return [...wav.read(0, wav.frames)];
}

const bytesOf = (values: ArrayBufferView) => new Uint8Array(values.buffer as ArrayBuffer);

describe('readWav', () => {
  it('reads 8, 16, 24 and 32 bit integers', () => {
    expect(samplesOf(wavFile(Uint8Array.of(0, 128, 192), { bits: 8 }))).toEqual([-1, 0, 0.5]);
    expect(samplesOf(wavFile(bytesOf(Int16Array.of(-32_768, 0, 16_384))))).toEqual([-1, 0, 0.5]);
    expect(samplesOf(wavFile(Uint8Array.of(0, 0, 0x80, 0, 0, 0x40), { bits: 24 }))).toEqual([-1, 0.5]);
    expect(samplesOf(wavFile(bytesOf(Int32Array.of(-(2 ** 31), 2 ** 30)), { bits: 32 }))).toEqual([-1, 0.5]);
  });

  it('reads floats, and what is not a number as silence', () => {
    const floats = bytesOf(Float32Array.of(-0.25, Number.NaN, 0.5));
    expect(samplesOf(wavFile(floats, { tag: 3, bits: 32 }))).toEqual([-0.25, 0, 0.5]);
    expect(samplesOf(wavFile(bytesOf(Float64Array.of(0.125)), { tag: 3, bits: 64 }))).toEqual([0.125]);
  });

  it('reads the extensible form and skips other chunks, odd ones too', () => {
    const data = bytesOf(Int16Array.of(16_384));
    expect(samplesOf(wavFile(data, { extensible: true, extraChunk: Uint8Array.of(1, 2, 3) }))).toEqual([0.5]);
  });

  it('mixes channels to their mean', () => {
    expect(samplesOf(wavFile(bytesOf(Int16Array.of(16_384, 0, -16_384, -16_384)), { channels: 2 }))).toEqual([
      0.25, -0.5,
    ]);
  });

  it('reads to the end of the file when the size is unknown or too large', () => {
    const data = bytesOf(Int16Array.of(16_384, 16_384));
    for (const statedSize of [0, 0xffffffff]) expect(samplesOf(wavFile(data, { statedSize }))).toEqual([0.5, 0.5]);
  });

  it('gives nothing for compressed sound, impossible formats and broken files', () => {
    const data = bytesOf(Int16Array.of(1, 2));
    expect(readWav(wavFile(data, { tag: 0x55 }))).toBeUndefined();
    expect(readWav(wavFile(data, { bits: 12 }))).toBeUndefined();
    expect(readWav(wavFile(data, { channels: 0 }))).toBeUndefined();
    expect(readWav(wavFile(data).subarray(0, 30))).toBeUndefined();
    expect(readWav(text('RIFF0000WAVE'))).toBeUndefined();
  });
});
