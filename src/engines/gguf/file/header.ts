/**
 * The head of a GGUF file: its metadata and the list of its tensors, without their numbers. A head is small or as large as
 * its vocabulary (5 to 15 MB with 200,000 tokens) and does not state its length, so it is read by ranges that grow.
 * @module
 */
import { cutFile, damaged, notGguf, shown, unsupported } from './file-problems.js';
import { type GgufValue, HeadBytes, Missing, MAX_HEAD_BYTES } from './head-bytes.js';
import { kindOfId, TENSOR_KINDS, type TensorKind } from './tensor-kinds.js';

export type { GgufNumbers, GgufValue } from './head-bytes.js';

/** A tensor of the file. */
export interface GgufTensor {
  name: string;
  /** Numbers in each dimension, the innermost first: a matrix is `[columns, rows]`. 1 to 4 dimensions. */
  shape: readonly number[];
  kind: TensorKind;
  /** Where its first byte is, from the beginning of the file. */
  offset: number;
  bytes: number;
}

/** What a GGUF file says before its weights. */
export interface GgufHeader {
  /** Name of the file, for messages. */
  file: string;
  /** 2 or 3; both have the same form. */
  version: number;
  metadata: ReadonlyMap<string, GgufValue>;
  /** In the order of the file's list. No two share a byte. */
  tensors: readonly GgufTensor[];
  /** Where the first tensor can begin, from the beginning of the file. */
  dataStart: number;
  /** Where the last tensor ends: the least length of the file. */
  dataEnd: number;
}

/** Reads the bytes of a file from `from` to before `to`. Fewer bytes mean that the file ends there. */
export type ReadRange = (from: number, to: number) => Promise<Uint8Array>;

/** Bytes that may be read beyond the head. */
const AHEAD = 1_000_000;
/** What no real file comes near. */
const MOST = { entries: 65_536, tensors: 65_536, keyBytes: 65_535, nameBytes: 1024, dimensions: 4, alignment: 2 ** 20 };

/**
 * Reads the head of a file, and at most 1 MB more.
 * @param read gives the bytes of the file; is called in order, without gaps
 * @param file its name, for messages
 * @param fileBytes its length, where it is known
 * @throws InferenceError `unavailable` when it is not a whole GGUF file; `model_not_supported` (permanent) for another version,
 * byte order or kind of tensor
 */
export async function readGgufHeader(read: ReadRange, file: string, fileBytes?: number): Promise<GgufHeader> {
  return checkLength((await readGgufBeginning(read, file)).header, fileBytes);
}

/** As {@link readGgufHeader}. @returns all that was read, too */
export async function readGgufBeginning(
  read: ReadRange,
  file: string,
): Promise<{ header: GgufHeader; bytes: Uint8Array<ArrayBuffer> }> {
  const bytes = new HeadBytes(file);
  const head = new Head(file, bytes);
  for (;;) {
    const missing = head.parse();
    if (typeof missing !== 'number') return { header: missing, bytes: bytes.all };
    if (missing > MAX_HEAD_BYTES) throw damaged(file, 'its head is larger than any model needs');
    bytes.append(await read(bytes.length, Math.min(missing + AHEAD, MAX_HEAD_BYTES)));
    // The file ended.
    if (bytes.length < missing) throw bytes.length < PREAMBLE_BYTES ? notGguf(file) : cutFile(file);
  }
}

function checkLength(header: GgufHeader, fileBytes = Infinity): GgufHeader {
  if (header.dataEnd > fileBytes) throw cutFile(header.file);
  return header;
}

const MAGIC = 0x46554747;
/** The magic number and the version. */
const PREAMBLE_BYTES = 8;

/** A head that is being read. What was parsed stays parsed when more bytes come. */
class Head {
  readonly #file: string;
  readonly #bytes: HeadBytes;
  readonly #metadata = new Map<string, GgufValue>();
  readonly #tensors = new Map<string, Omit<GgufTensor, 'bytes'>>();
  #version: number | undefined;
  #entries = 0;
  #tensorCount = 0;

  constructor(file: string, bytes: HeadBytes) {
    this.#file = file;
    this.#bytes = bytes;
  }

  /** @returns the header, or how many bytes from the beginning it needs at least */
  parse(): GgufHeader | number {
    let done = 0;
    const step = (read: () => void): void => {
      done = this.#bytes.position;
      read();
    };
    try {
      if (this.#version === undefined) step(() => this.#begin());
      while (this.#metadata.size < this.#entries) step(() => this.#entry());
      while (this.#tensors.size < this.#tensorCount) step(() => this.#tensor());
      return this.#finish(this.#version!);
    } catch (thrown) {
      if (!(thrown instanceof Missing)) throw thrown;
      this.#bytes.position = done;
      return thrown.until;
    }
  }

  #begin(): void {
    const bytes = this.#bytes;
    bytes.need(PREAMBLE_BYTES);
    if (bytes.uint32() !== MAGIC) throw notGguf(this.#file);
    const version = bytes.uint32();
    // Versions are small numbers, so their byte order shows.
    if (version !== 0 && (version & 0xffff) === 0) throw unsupported(this.#file, 'it is big-endian');
    if (version !== 2 && version !== 3) {
      throw unsupported(this.#file, `it is GGUF version ${version}, and only versions 2 and 3 are supported`);
    }
    bytes.need(16);
    this.#tensorCount = bytes.count(MOST.tensors, 'tensors');
    this.#entries = bytes.count(MOST.entries, 'metadata entries');
    this.#version = version;
  }

  #entry(): void {
    const key = this.#bytes.text(MOST.keyBytes);
    this.#bytes.need(4);
    const value = this.#bytes.value(this.#bytes.uint32());
    if (this.#metadata.has(key)) throw damaged(this.#file, `the key \`${shown(key)}\` appears twice`);
    this.#metadata.set(key, value);
  }

  #tensor(): void {
    const name = this.#bytes.text(MOST.nameBytes);
    const refuse = (why: string): never => {
      throw damaged(this.#file, `the tensor \`${shown(name)}\` ${why}`);
    };
    this.#bytes.need(4);
    const dimensions = this.#bytes.uint32();
    if (dimensions < 1 || dimensions > MOST.dimensions) refuse(`has ${dimensions} dimensions`);
    this.#bytes.need(dimensions * 8 + 12);
    const shape = Array.from({ length: dimensions }, () => this.#bytes.uint64());
    if (shape.some((size) => size < 1) || !Number.isSafeInteger(shape.reduce((product, size) => product * size, 8)))
      refuse('has an impossible shape');
    const type = this.#bytes.uint32();
    const kind = kindOfId(type);
    if (kind === undefined) {
      throw unsupported(this.#file, `its tensor \`${shown(name)}\` is of kind number ${type}, which is not supported`);
    }
    if (shape[0]! % TENSOR_KINDS[kind].values !== 0) refuse('has rows that are not whole blocks');
    const offset = this.#bytes.uint64();
    if (this.#tensors.has(name)) refuse('appears twice');
    this.#tensors.set(name, { name, shape, kind, offset });
  }

  #finish(version: number): GgufHeader {
    const alignment = this.#metadata.get('general.alignment') ?? 32;
    if (typeof alignment !== 'number' || !(alignment >= 1 && alignment <= MOST.alignment) || !isPowerOfTwo(alignment))
      throw damaged(this.#file, 'its alignment is not a power of two');
    // Without tensors, as the first piece of a split file may be, a head need not be filled up.
    const step = this.#tensors.size > 0 ? alignment : 1;
    const dataStart = Math.ceil(this.#bytes.position / step) * step;
    const tensors = [...this.#tensors.values()].map((tensor): GgufTensor => {
      const { values, bytes } = TENSOR_KINDS[tensor.kind];
      const blocks = tensor.shape.reduce((product, size) => product * size, 1) / values;
      return { ...tensor, offset: dataStart + tensor.offset, bytes: blocks * bytes };
    });
    let dataEnd = dataStart;
    for (const { name, offset, bytes } of tensors.toSorted((a, b) => a.offset - b.offset)) {
      const end = offset + bytes;
      if (!Number.isSafeInteger(end) || (offset - dataStart) % alignment !== 0)
        throw damaged(this.#file, `the tensor \`${shown(name)}\` is at an impossible place`);
      if (offset < dataEnd) throw damaged(this.#file, `the tensor \`${shown(name)}\` overlaps another`);
      dataEnd = end;
    }
    return { file: this.#file, version, metadata: this.#metadata, tensors, dataStart, dataEnd };
  }
}

function isPowerOfTwo(value: number): boolean {
  return Number.isInteger(value) && (value & (value - 1)) === 0;
}
