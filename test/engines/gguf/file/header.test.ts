import { describe, expect, it } from 'vitest';
import { isInferenceError } from '../../../../src/core/errors/inference-error.js';
import { type GgufHeader, readGgufHeader, type ReadRange } from '../../../../src/engines/gguf/file/header.js';
import { type GgufInput, writeGguf } from '../support/write-gguf.js';

/** Reads from bytes in memory, and notes what was read. */
function rangesOf(bytes: Uint8Array): { read: ReadRange; ranges: [number, number][] } {
  const ranges: [number, number][] = [];
  const read: ReadRange = async (from, to) => {
    ranges.push([from, to]);
    return bytes.subarray(from, to);
  };
  return { read, ranges };
}

const readHeader = (bytes: Uint8Array, fileBytes?: number): Promise<GgufHeader> =>
  readGgufHeader(rangesOf(bytes).read, 'm.gguf', fileBytes);

/** Code and message of the error, and whether a second attempt can help. */
async function failureOf(bytes: Uint8Array, fileBytes?: number): Promise<string> {
  const thrown: unknown = await readHeader(bytes, fileBytes).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!isInferenceError(thrown)) throw thrown ?? new Error('read');
  return `${thrown.code}${thrown.details.permanent ? ' permanent' : ''}: ${thrown.message}`;
}

const SMALL: GgufInput = {
  metadata: { 'general.architecture': 'llama', 'llama.block_count': 2 },
  tensors: [
    { name: 'token_embd.weight', shape: [32, 3], kind: 'Q8_0', data: new Float32Array(96).fill(1) },
    { name: 'output_norm.weight', shape: [5], kind: 'F32', data: Float32Array.of(1, 2, 3, 4, 5) },
  ],
};

/** A file whose bytes were changed. */
function changed(input: GgufInput, change: (view: DataView, bytes: Uint8Array) => void): Uint8Array {
  const bytes = writeGguf(input);
  change(new DataView(bytes.buffer), bytes);
  return bytes;
}

/** Where a text is in a file. */
function find(bytes: Uint8Array, text: string): number {
  return Buffer.from(bytes).indexOf(text);
}

describe('readGgufHeader', () => {
  it('reads every type of value', async () => {
    const metadata = {
      text: 'ein Löffel \u{FEFF}',
      marked: '\u{FEFF}begins',
      yes: true,
      no: false,
      u32: 4_000_000_000,
      f32: 0.5,
      i32: -3,
      u8: { type: 'u8', value: 255 },
      i8: { type: 'i8', value: -1 },
      u16: { type: 'u16', value: 65_535 },
      i16: { type: 'i16', value: -2 },
      u64: { type: 'u64', value: 2 ** 40 },
      i64: { type: 'i64', value: -(2 ** 40) },
      f64: { type: 'f64', value: 0.1 },
      texts: ['a', '', 'é'],
      flags: [true, false],
      numbers: Int32Array.of(1, -2),
      scores: Float32Array.of(0.25, -1),
      bytes: Uint8Array.of(1, 2),
      sizes: { type: 'array', of: 'u64', values: [1, 2 ** 33] },
      nested: { type: 'array', of: 'array', values: [[1, 2], ['x']] },
      none: { type: 'array', of: 'text', values: [] },
    } as const;
    const header = await readHeader(writeGguf({ metadata, tensors: [] }));
    expect(Object.fromEntries(header.metadata)).toEqual({
      ...metadata,
      u8: 255,
      i8: -1,
      u16: 65_535,
      i16: -2,
      u64: 2 ** 40,
      i64: -(2 ** 40),
      f64: 0.1,
      sizes: Float64Array.of(1, 2 ** 33),
      nested: [Int32Array.of(1, 2), ['x']],
      none: [],
    });
  });

  it.each([2, 3])('reads tensors of version %i', async (version) => {
    const header = await readHeader(writeGguf({ ...SMALL, version }));
    const { dataStart } = header;
    expect(dataStart % 32).toBe(0);
    expect(header).toMatchObject({ file: 'm.gguf', version, dataEnd: dataStart + 128 + 20 });
    expect(header.tensors).toEqual([
      { name: 'token_embd.weight', shape: [32, 3], kind: 'Q8_0', offset: dataStart, bytes: 102 },
      { name: 'output_norm.weight', shape: [5], kind: 'F32', offset: dataStart + 128, bytes: 20 },
    ]);
  });

  it('follows the alignment of the file', async () => {
    const bytes = writeGguf({ ...SMALL, metadata: { ...SMALL.metadata, 'general.alignment': 256 } });
    const { dataStart, tensors } = await readHeader(bytes);
    expect(dataStart % 256).toBe(0);
    const [, norm] = tensors;
    expect(new Float32Array(bytes.slice(norm!.offset, norm!.offset + norm!.bytes).buffer)).toEqual(
      Float32Array.of(1, 2, 3, 4, 5),
    );
  });

  it('[W03] reads a large head and at most 1 MB more, in few ranges', async () => {
    const tokens = Array.from({ length: 150_000 }, (_, index) => `token number ${index}`);
    const types = new Int32Array(150_000).fill(1);
    const weights = new Float32Array(2_000_000);
    const bytes = writeGguf({
      metadata: { 'general.architecture': 'llama', tokens, types, merges: tokens },
      tensors: [{ name: 'w', shape: [1000, 2000], kind: 'F32', data: weights }],
    });
    const { read, ranges } = rangesOf(bytes);
    const header = await readGgufHeader(read, 'm.gguf');
    expect(header.metadata.get('tokens')).toEqual(tokens);
    expect(header.dataStart).toBeGreaterThan(7_000_000);
    const [, end] = ranges.at(-1)!;
    expect(end).toBeLessThanOrEqual(header.dataStart + 1_000_000);
    expect(ranges.length).toBeLessThan(10);
    // Without gaps.
    expect(ranges.slice(1).map(([from]) => from)).toEqual(ranges.slice(0, -1).map(([, to]) => to));
  });

  it('refuses a file that is cut, wherever', async () => {
    const bytes = writeGguf(SMALL);
    const { dataStart, dataEnd } = await readHeader(bytes);
    for (let length = 8; length < dataStart - 32; length += 7) {
      expect(await failureOf(bytes.slice(0, length))).toMatch(
        /^unavailable: The file `m.gguf` is (incomplete|damaged)/,
      );
    }
    expect(await failureOf(bytes, dataEnd - 1)).toMatch(/^unavailable: .*`m.gguf` is incomplete/);
    expect((await readHeader(bytes, dataEnd)).dataEnd).toBe(dataEnd);
  });

  it('[W03] refuses what is no GGUF, another version and another byte order', async () => {
    const NO =
      'unavailable: The file `m.gguf` is not a GGUF file. It may be a web page or a Git LFS pointer that was saved in its place. Check where it comes from.';
    expect(await failureOf(new Uint8Array(0))).toBe(NO);
    expect(await failureOf(new TextEncoder().encode('<!doctype html>'))).toBe(NO);
    expect(await failureOf(new TextEncoder().encode('GG'))).toBe(NO);
    expect(await failureOf(writeGguf({ ...SMALL, version: 1 }))).toMatch(/^model_not_supported permanent: .*version 1/);
    expect(await failureOf(writeGguf({ ...SMALL, version: 4 }))).toMatch(/^model_not_supported permanent: .*version 4/);
    const big = changed(SMALL, (view) => view.setUint32(4, 3, false));
    expect(await failureOf(big)).toMatch(/^model_not_supported permanent: .*`m.gguf`.*big-endian/);
  });

  it('refuses an unknown kind of tensor with its name', async () => {
    const bytes = changed(SMALL, (view, all) => {
      const name = find(all, 'token_embd.weight');
      view.setUint32(name + 'token_embd.weight'.length + 4 + 16, 77, true);
    });
    expect(await failureOf(bytes)).toMatch(
      /^model_not_supported permanent: .*`token_embd.weight` is of kind number 77/,
    );
  });

  describe('refuses hostile heads as damaged, without taking memory for them', () => {
    const name = 'token_embd.weight';
    const afterName = (all: Uint8Array): number => find(all, name) + name.length;
    it.each<[string, (view: DataView, bytes: Uint8Array) => void, RegExp]>([
      ['2^63 tensors', (view) => view.setBigUint64(8, 2n ** 63n, true), /tensors/],
      ['2^40 entries', (view) => view.setBigUint64(16, 2n ** 40n, true), /metadata entries/],
      ['a key of 2^60 bytes', (view) => view.setBigUint64(24, 2n ** 60n, true), /bytes of a text/],
      ['no dimensions', (view, all) => view.setUint32(afterName(all), 0, true), /0 dimensions/],
      ['2^31 dimensions', (view, all) => view.setUint32(afterName(all), 2 ** 31, true), /dimensions/],
      ['an empty dimension', (view, all) => view.setBigUint64(afterName(all) + 12, 0n, true), /shape/],
      ['2^62 rows', (view, all) => view.setBigUint64(afterName(all) + 12, 2n ** 62n, true), /shape/],
      ['a row of part of a block', (view, all) => view.setBigUint64(afterName(all) + 4, 31n, true), /whole blocks/],
      ['a tensor far away', (view, all) => view.setBigUint64(afterName(all) + 24, 2n ** 62n, true), /place/],
      ['a tensor between', (view, all) => view.setBigUint64(afterName(all) + 24, 33n, true), /place/],
      ['tensors that overlap', (view, all) => view.setBigUint64(afterName(all) + 24, 128n, true), /overlaps/],
      ['a type of value that there is not', (view) => view.setUint32(24 + 8 + 20, 13, true), /unknown type 13/],
    ])('%s', async (_, change, message) => {
      const failure = await failureOf(changed(SMALL, change));
      expect(failure).toMatch(/^unavailable: The file `m.gguf` is damaged/);
      expect(failure).toMatch(message);
    });

    it('the same key or tensor twice', async () => {
      const keys = writeGguf({ metadata: { aa: 1, ab: 2 }, tensors: [] });
      keys[find(keys, 'ab') + 1] = 0x61;
      expect(await failureOf(keys)).toMatch(/^unavailable: .*`aa` appears twice/);
      const [first] = SMALL.tensors;
      const tensors = writeGguf({ ...SMALL, tensors: [first!, first!] });
      expect(await failureOf(tensors)).toMatch(/^unavailable: .*`token_embd.weight` appears twice/);
    });

    it('arrays within arrays, and arrays that are longer than a head can be', async () => {
      let nested: { type: 'array'; of: 'array' | 'u8'; values: never[] | [unknown] } = {
        type: 'array',
        of: 'u8',
        values: [],
      };
      for (let depth = 0; depth < 10; depth++) nested = { type: 'array', of: 'array', values: [nested] };
      expect(await failureOf(writeGguf({ metadata: { nested: nested as never }, tensors: [] }))).toMatch(/nested/);
      const long = changed({ metadata: { texts: ['a'] }, tensors: [] }, (view, all) => {
        view.setBigUint64(find(all, 'texts') + 5 + 8, 60n * 2n ** 20n, true);
      });
      expect(await failureOf(long)).toMatch(/^unavailable: .*larger than any model needs/);
      const alignment = writeGguf({ metadata: { 'general.alignment': 24 }, tensors: [] });
      expect(await failureOf(alignment)).toMatch(/^unavailable: .*alignment/);
    });

    it('any changed byte: an error of the file, or a header', async () => {
      const bytes = writeGguf(SMALL);
      const { dataStart } = await readHeader(bytes);
      const others: unknown[] = [];
      for (let at = 0; at < dataStart; at++) {
        for (const byte of [0, 0x7f, 0xff]) {
          const other = bytes.slice();
          other[at] = byte;
          const outcome = await readHeader(other).catch((thrown: unknown) => thrown);
          if (outcome instanceof Error && !isInferenceError(outcome)) others.push([at, byte, outcome]);
        }
      }
      expect(others).toEqual([]);
    });
  });
});
