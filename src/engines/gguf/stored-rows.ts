/**
 * A table that stays in the store: rows of the tokens that are read come into memory, and stay there for a while. That of Gemma 4
 * is nearly half of its file.
 * @module
 */
import type { ModelFiles } from '../../store/model-files.js';
import type { GgufHeader, ReadRange } from './file/header.js';
import { TENSOR_KINDS } from './file/tensor-kinds.js';
import type { Kernels } from './load-kernels.js';
import type { MatrixPlan } from './model-tensors.js';
import type { TableRows } from './model-weights.js';
import { packedBytes, packedKindOf } from './packed-kinds.js';
import { MatrixWriter, type Repack } from './weights.js';

/** Rows in memory: of more tokens than a pass has. */
const MOST_ROWS = 512;

/** Reads stored pieces of a model at any place of the whole; undefined where storage cannot. @param heads of the pieces */
export async function openStored(files: ModelFiles, heads: readonly GgufHeader[]): Promise<ReadRange | undefined> {
  const pieces: { read: ReadRange; shift: number; end: number }[] = [];
  let end = 0;
  for (const [index, { file, dataStart, dataEnd }] of heads.entries()) {
    const read = await files.openRange(file);
    if (!read) return undefined;
    // As `joinHeads` places their tensors.
    const shift = index === 0 ? 0 : end - dataStart;
    end = shift + dataEnd;
    pieces.push({ read, shift, end });
  }
  return async (from, to) => {
    const { read, shift } = pieces.find((piece) => from < piece.end)!;
    return read(from - shift, to - shift);
  };
}

/** How the rows of a table come in. */
export interface StoredTable {
  plan: MatrixPlan;
  /** Reads the file at any place. */
  read: ReadRange;
  isExact: boolean;
  repack: Repack | undefined;
}

export class StoredRows implements TableRows {
  readonly #kernels: Pick<Kernels, 'functions' | 'memory'>;
  readonly #table: StoredTable;
  /** Addresses of rows by token, the least recently used first. */
  readonly #rows = new Map<number, number>();
  /** Addresses for one row as the file has it, and packed. */
  readonly #at: { staging: number; packed: number };

  constructor(kernels: Pick<Kernels, 'functions' | 'memory'>, table: StoredTable) {
    this.#kernels = kernels;
    this.#table = table;
    const { memory } = kernels;
    this.#at = { staging: memory.allocate(this.#columns * 4), packed: memory.allocate(this.#packedBytes) };
  }

  /** @throws Error when the file is another meanwhile */
  bring(tokens: readonly number[]): Promise<void> | undefined {
    const missing = new Set<number>();
    for (const token of tokens) {
      const row = this.#rows.get(token);
      if (row === undefined) missing.add(token);
      else {
        this.#rows.delete(token);
        this.#rows.set(token, row);
      }
    }
    return missing.size > 0 ? this.#bringAll([...missing]) : undefined;
  }

  /** @throws Error for a row that was not brought */
  rowOf(token: number): number {
    const row = this.#rows.get(token);
    if (row === undefined) throw new Error(`The inputs of token ${token} were not brought into memory.`);
    return row;
  }

  get #columns(): number {
    return this.#table.plan.tensor.shape[0]!;
  }

  get #packedBytes(): number {
    const { plan, isExact } = this.#table;
    return packedBytes(packedKindOf(plan.tensor.kind, isExact)!, 1, this.#columns);
  }

  async #bringAll(tokens: readonly number[]): Promise<void> {
    const { tensor } = this.#table.plan;
    const { bytes: blockBytes, values } = TENSOR_KINDS[tensor.kind];
    const rowBytes = (this.#columns / values) * blockBytes;
    const read = tokens.map((token) => {
      const from = tensor.offset + token * rowBytes;
      return this.#table.read(from, from + rowBytes);
    });
    for (const [index, bytes] of (await Promise.all(read)).entries()) {
      if (bytes.length < rowBytes) throw new Error(`Rows of ${tensor.name} are gone from the store.`);
      this.#keep(tokens[index]!, bytes);
    }
  }

  #keep(token: number, bytes: Uint8Array): void {
    const { functions, memory } = this.#kernels;
    const { plan, isExact, repack } = this.#table;
    const { name, kind } = plan.tensor;
    const { staging, packed } = this.#at;
    const columns = this.#columns;
    const [oldest] = this.#rows;
    const row = oldest && this.#rows.size >= MOST_ROWS ? oldest[1] : memory.allocate(columns * 4);
    if (row === oldest?.[1]) this.#rows.delete(oldest[0]);
    const as = packedKindOf(kind, isExact)!;
    memory.bytes(packed, this.#packedBytes).fill(0);
    const source = { name, kind, rows: 1, columns, isExact };
    const sizes = { rowBytes: bytes.length, staging, repack };
    new MatrixWriter(this.#kernels as Kernels, { kind: as, at: packed, rows: 1, columns }, source, sizes).write(bytes);
    functions.unpackRow(as, row, packed, 0, columns);
    this.#rows.set(token, row);
  }
}
