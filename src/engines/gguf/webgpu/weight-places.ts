/**
 * Where matrices lie: in slabs, buffers not larger than a binding may be. What belongs to one product lies in one slab; what is
 * larger is cut by rows into several.
 * @module
 */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { GgufTensor } from '../file/header.js';
import type { MatrixPlan } from '../model-tensors.js';
import { type ByPlane, planesOf } from './planes.js';

/** A buffer of weights. */
export interface Slab {
  bytes: number;
}

/** Rows of a matrix in a slab. */
export interface PlacedPart {
  tensor: GgufTensor;
  /** Of the tensor. */
  firstRow: number;
  rows: number;
  /** Where it begins in its slab, in bytes, and its planes from there on. */
  at: number;
  planes: ByPlane;
}

/** What one dispatch of a product reads: rows of matrices with the same columns. */
export interface PlacedPiece {
  slab: Slab;
  columns: number;
  /** Of the rows of the matrices. */
  firstRow: number;
  parts: PlacedPart[];
}

/** Rows at which a matrix may be cut: whole tiles. */
const ROWS_STEP = 64;

export class WeightPlaces {
  readonly slabs: Slab[] = [];
  /** All parts, for whoever writes them. */
  readonly parts: { slab: Slab; part: PlacedPart }[] = [];
  readonly #limit: number;

  /** @param limit bytes of a slab */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether a binding holds all of them. */
  fits(matrices: readonly MatrixPlan[]): boolean {
    return allBytes(matrices) <= this.#limit;
  }

  /**
   * Places what a product takes together.
   * @param step rows that stay together
   * @throws InferenceError `insufficient_resources` where what belongs together does not fit a binding
   */
  place(matrices: readonly MatrixPlan[], step = ROWS_STEP): PlacedPiece[] {
    const bytes = allBytes(matrices);
    if (bytes <= this.#limit) return [this.#piece(matrices, 0, Infinity)];
    const { rows } = matrices[0]!;
    const most = Math.floor((rows * this.#limit * 0.98) / bytes / step) * step;
    if (most === 0 || matrices.some((matrix) => matrix.rows !== rows)) {
      const message = `The GPU binds ${this.#limit} bytes at a time, and ${matrices[0]!.tensor.name} with its neighbours has ${bytes}.`;
      throw new InferenceError('insufficient_resources', message, { param: 'model', neededBytes: bytes });
    }
    const pieces: PlacedPiece[] = [];
    for (let first = 0; first < rows; first += most) pieces.push(this.#piece(matrices, first, first + most));
    return pieces;
  }

  #piece(matrices: readonly MatrixPlan[], from: number, to: number): PlacedPiece {
    const sizes = matrices.map((matrix) => Math.min(to, matrix.rows) - from);
    const slab = this.#room(matrices.reduce((sum, matrix, index) => sum + bytesOf(matrix, sizes[index]!), 0));
    const columns = matrices[0]!.tensor.shape[0]!;
    const parts = matrices.map(({ tensor, firstRow }, index): PlacedPart => {
      const rows = sizes[index]!;
      const { at: planes, bytes } = planesOf(tensor.kind, rows, tensor.shape[0]!);
      const part = { tensor, firstRow: firstRow + from, rows, at: slab.bytes, planes };
      slab.bytes += bytes;
      this.parts.push({ slab, part });
      return part;
    });
    return { slab, columns, firstRow: from, parts };
  }

  #room(bytes: number): Slab {
    const found = this.slabs.find((slab) => slab.bytes + bytes <= this.#limit);
    if (found) return found;
    const slab = { bytes: 0 };
    this.slabs.push(slab);
    return slab;
  }
}

const allBytes = (matrices: readonly MatrixPlan[]): number =>
  matrices.reduce((sum, matrix) => sum + bytesOf(matrix, matrix.rows), 0);

const bytesOf = ({ tensor }: MatrixPlan, rows: number): number => planesOf(tensor.kind, rows, tensor.shape[0]!).bytes;
