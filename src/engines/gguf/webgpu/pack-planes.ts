/** Moves the bytes of a file's blocks into planes (`planes.ts`). @module */
import type { TensorKind } from '../file/tensor-kinds.js';
import type { Plane } from './planes.js';

/** Where the blocks of some rows go. */
export type PlaneBytes = Record<Plane, Uint8Array>;

type PackBlock = (out: PlaneBytes, block: number, source: SourceBlocks, from: number) => void;

/** The blocks of a file, and how parts of them are moved. */
class SourceBlocks {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  at(from: number): number {
    return this.#bytes[from]!;
  }

  copy(to: Uint8Array, at: number, from: number, count: number): void {
    for (let i = 0; i < count; i++) to[at + i] = this.#bytes[from + i]!;
  }

  /** The fifth bits of 32 columns, which a file has as the bits of 4 bytes. */
  fifthBits(extra: Uint8Array, at: number, from: number): void {
    for (let c = 0; c < 4; c++) {
      let byte = 0;
      for (let i = 0; i < 8; i++) {
        const column = 4 * i + c;
        byte |= ((this.#bytes[from + (column >> 3)]! >> (column & 7)) & 1) << i;
      }
      extra[at + c] = byte;
    }
  }

  /** One bit of each of 32 bytes: that of column i is bit `bit` of byte i. */
  bits(extra: Uint8Array, at: number, from: number, bit: number): void {
    for (let c = 0; c < 4; c++) {
      let byte = 0;
      for (let i = 0; i < 8; i++) byte |= ((this.#bytes[from + 4 * i + c]! >> bit) & 1) << i;
      extra[at + c] = byte;
    }
  }

  /** Two bits of each of 32 bytes, from bit `shift` on. */
  pairs(extra: Uint8Array, at: number, from: number, shift: number): void {
    for (let h = 0; h < 2; h++) {
      for (let c = 0; c < 4; c++) {
        let byte = 0;
        for (let j = 0; j < 4; j++) byte |= ((this.#bytes[from + 16 * h + 4 * j + c]! >> shift) & 3) << (2 * j);
        extra[at + 4 * h + c] = byte;
      }
    }
  }

  /** Four bits of each of 32 bytes as 16 bytes of nibbles. */
  nibbles(codes: Uint8Array, at: number, from: number, shift: number): void {
    const bytes = this.#bytes;
    for (let i = 0; i < 16; i++)
      codes[at + i] = ((bytes[from + i]! >> shift) & 15) | (((bytes[from + 16 + i]! >> shift) & 15) << 4);
  }

  /** The 6-bit scale and minimum of each of 8 blocks. */
  scalesOfK(scales: Uint8Array, at: number, from: number): void {
    scales.fill(0, at + 8, at + 12);
    for (let j = 0; j < 8; j++) {
      const isLow = j < 4;
      const [a, b] = [this.at(from + j), this.at(from + j + 4)];
      const before = isLow ? 0 : this.at(from + j - 4);
      const scale = isLow ? a & 63 : (b & 15) | ((before >> 6) << 4);
      const minimum = isLow ? b & 63 : (b >> 4) | ((a >> 6) << 4);
      scales[at + j] = (scale & 15) | ((minimum & 15) << 4);
      scales[at + 8 + (j >> 1)]! |= ((scale >> 4) | ((minimum >> 4) << 2)) << (4 * (j & 1));
    }
  }
}

/** Blocks with factors of `head` bytes, then fifth bits where they are, then nibbles. */
const nibbles =
  (head: number, hasFifths = false): PackBlock =>
  (out, block, source, from) => {
    source.copy(out.scales, block * head, from, head);
    if (hasFifths) source.fifthBits(out.extra, block * 4, from + head);
    source.copy(out.codes, block * 16, from + head + (hasFifths ? 4 : 0), 16);
  };

const bytes: PackBlock = (out, block, source, from) => {
  source.copy(out.scales, block * 2, from, 2);
  for (let i = 0; i < 32; i++) out.codes[block * 32 + i] = source.at(from + 2 + i) ^ 128;
};

const packQ4K: PackBlock = (out, superblock, source, from) => {
  source.copy(out.supers, superblock * 4, from, 4);
  source.scalesOfK(out.scales, superblock * 12, from + 4);
  for (let j = 0; j < 8; j++)
    source.nibbles(out.codes, (superblock * 8 + j) * 16, from + 16 + (j >> 1) * 32, (j & 1) * 4);
};

const packQ5K: PackBlock = (out, superblock, source, from) => {
  source.copy(out.supers, superblock * 4, from, 4);
  source.scalesOfK(out.scales, superblock * 12, from + 4);
  for (let j = 0; j < 8; j++) {
    const block = superblock * 8 + j;
    source.bits(out.extra, block * 4, from + 16, j);
    source.nibbles(out.codes, block * 16, from + 48 + (j >> 1) * 32, (j & 1) * 4);
  }
};

const packQ6K: PackBlock = (out, superblock, source, from) => {
  source.copy(out.supers, superblock * 2, from + 208, 2);
  source.copy(out.scales, superblock * 16, from + 192, 16);
  for (let j = 0; j < 8; j++) {
    const block = superblock * 8 + j;
    // Each half of 128 columns has 64 bytes of low bits and 32 of high ones.
    const [half, quarter] = [j >> 2, j & 3];
    source.nibbles(out.codes, block * 16, from + half * 64 + (quarter & 1) * 32, (quarter >> 1) * 4);
    source.pairs(out.extra, block * 8, from + 128 + half * 32, 2 * quarter);
  }
};

const packQ2K: PackBlock = (out, superblock, source, from) => {
  source.copy(out.scales, superblock * 16, from, 16);
  source.copy(out.supers, superblock * 4, from + 80, 4);
  for (let j = 0; j < 8; j++) source.pairs(out.extra, (superblock * 8 + j) * 8, from + 16 + (j >> 2) * 32, 2 * (j & 3));
};

const packQ3K: PackBlock = (out, superblock, source, from) => {
  source.copy(out.supers, superblock * 2, from + 108, 2);
  const scales = from + 96;
  const to = superblock * 12;
  out.scales.fill(0, to, to + 12);
  for (let k = 0; k < 16; k++) {
    const low = (source.at(scales + (k & 7)) >> ((k >> 3) * 4)) & 15;
    const high = (source.at(scales + 8 + (k & 3)) >> ((k >> 2) * 2)) & 3;
    out.scales[to + (k >> 1)]! |= low << (4 * (k & 1));
    out.scales[to + 8 + (k >> 2)]! |= high << (2 * (k & 3));
  }
  for (let j = 0; j < 8; j++) {
    const at = (superblock * 8 + j) * 12;
    source.pairs(out.extra, at, from + 32 + (j >> 2) * 32, 2 * (j & 3));
    source.bits(out.extra, at + 8, from, j);
  }
};

const packIQ4XS: PackBlock = (out, superblock, source, from) => {
  source.copy(out.supers, superblock * 2, from, 2);
  const high = source.at(from + 2) | (source.at(from + 3) << 8);
  for (let j = 0; j < 8; j++) {
    const low = (source.at(from + 4 + (j >> 1)) >> ((j & 1) * 4)) & 15;
    out.scales[superblock * 8 + j] = (low | (((high >> (2 * j)) & 3) << 4)) - 32;
  }
  source.copy(out.codes, superblock * 128, from + 8, 128);
};

/** Bytes and columns of a block in the file, and what is done with it. */
interface Packer {
  bytes: number;
  columns: number;
  pack: PackBlock;
}

const PACKERS: Partial<Record<TensorKind, Packer>> = {
  Q4_0: { bytes: 18, columns: 32, pack: nibbles(2) },
  Q4_1: { bytes: 20, columns: 32, pack: nibbles(4) },
  Q5_0: { bytes: 22, columns: 32, pack: nibbles(2, true) },
  Q5_1: { bytes: 24, columns: 32, pack: nibbles(4, true) },
  Q8_0: { bytes: 34, columns: 32, pack: bytes },
  IQ4_NL: { bytes: 18, columns: 32, pack: nibbles(2) },
  MXFP4: { bytes: 17, columns: 32, pack: nibbles(1) },
  Q2_K: { bytes: 84, columns: 256, pack: packQ2K },
  Q3_K: { bytes: 110, columns: 256, pack: packQ3K },
  Q4_K: { bytes: 144, columns: 256, pack: packQ4K },
  Q5_K: { bytes: 176, columns: 256, pack: packQ5K },
  Q6_K: { bytes: 210, columns: 256, pack: packQ6K },
  IQ4_XS: { bytes: 136, columns: 256, pack: packIQ4XS },
};

/** Packs whole rows. @param count numbers in them */
export function packPlanes(kind: TensorKind, source: Uint8Array, count: number, out: PlaneBytes): void {
  const packer = PACKERS[kind];
  if (!packer) {
    // Floats lie as they are in the file.
    out.codes.set(source);
    return;
  }
  const blocks = count / packer.columns;
  const from = new SourceBlocks(source);
  for (let block = 0; block < blocks; block++) packer.pack(out, block, from, block * packer.bytes);
}
