/** Brings the weights of a file into the kernels' memory, while they stream in. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { Kernels } from './load-kernels.js';
import { columnsOfBlock, packedBytes, packedKindOf, type PackedWeights, repackedAs } from './packed-kinds.js';
import { TENSOR_KINDS, type TensorKind } from './file/tensor-kinds.js';

/** A matrix as the file has it: rows of `columns` numbers, one behind the other. */
export interface MatrixSource {
  /** For messages. */
  name: string;
  kind: TensorKind;
  rows: number;
  columns: number;
  /** See {@link packedKindOf}. */
  isExact?: boolean;
}

/** Brings whole rows of a kind without kernels to one with some. */
export type Repack = (
  how: { kind: TensorKind; as: 'Q8_0' | 'F16' | 'F32'; values: number; bytes: number },
  rows: Uint8Array,
) => Uint8Array;

/** Where bytes from the file wait for the kernel that packs them. */
const STAGING_BYTES = 2 ** 20;

/** Packs one matrix after the other: there are never two copies of it. */
export class WeightPacker {
  readonly #kernels: Kernels;
  #staging = 0;
  #stagingBytes = 0;

  constructor(kernels: Kernels) {
    this.#kernels = kernels;
  }

  /**
   * Makes room for a matrix.
   * @throws InferenceError `model_not_supported` for a kind or a shape that the kernels cannot compute with;
   * `insufficient_resources` when there is no memory for it
   */
  begin(source: MatrixSource, repack?: Repack): MatrixWriter {
    const kind = packedKindOf(source.kind, source.isExact);
    if (kind === undefined || source.columns % columnsOfBlock(kind) !== 0) {
      const shape = kind === undefined ? '' : ` with rows of ${source.columns} numbers`;
      const message = `The tensor ${source.name} is of the kind ${source.kind}${shape}, which this engine cannot compute with.`;
      throw new InferenceError('model_not_supported', message);
    }
    const { rows, columns } = source;
    const { memory } = this.#kernels;
    const at = memory.allocate(packedBytes(kind, rows, columns));
    const { bytes, values } = TENSOR_KINDS[source.kind];
    const rowBytes = (columns / values) * bytes;
    // What comes in grows where it is brought to another kind.
    const as = TENSOR_KINDS[repackedAs(source.kind, source.isExact) ?? source.kind];
    const most = Math.max(1, Math.floor(STAGING_BYTES / rowBytes));
    this.#makeStaging(most * (columns / as.values) * as.bytes);
    const sizes = { rowBytes, staging: this.#staging, repack };
    return new MatrixWriter(this.#kernels, { kind, at, rows, columns }, source, sizes);
  }

  #makeStaging(rowBytes: number): void {
    const bytes = Math.max(STAGING_BYTES, rowBytes);
    if (bytes <= this.#stagingBytes) return;
    this.#staging = this.#kernels.memory.allocate(bytes);
    this.#stagingBytes = bytes;
  }
}

/** Takes the bytes of a matrix in their order, cut anywhere. */
export class MatrixWriter {
  readonly #kernels: Kernels;
  readonly #weights: PackedWeights;
  readonly #source: MatrixSource;
  readonly #rowBytes: number;
  readonly #staging: number;
  readonly #repack: Repack | undefined;
  /** Begin of a row whose end has yet to come. */
  readonly #begun: Uint8Array;
  #begunBytes = 0;
  #row = 0;

  /** @param staging address of memory for some rows of the file */
  constructor(
    kernels: Kernels,
    weights: PackedWeights,
    source: MatrixSource,
    { rowBytes, staging, repack }: { rowBytes: number; staging: number; repack: Repack | undefined },
  ) {
    this.#kernels = kernels;
    this.#weights = weights;
    this.#source = source;
    this.#rowBytes = rowBytes;
    this.#staging = staging;
    this.#repack = repack;
    this.#begun = new Uint8Array(rowBytes);
  }

  /**
   * @param chunk the next bytes; they may be reused afterwards
   * @throws RangeError for more bytes than the matrix has
   */
  write(chunk: Uint8Array): void {
    let rest = chunk;
    if (this.#begunBytes > 0) {
      const wanted = rest.subarray(0, this.#rowBytes - this.#begunBytes);
      this.#begun.set(wanted, this.#begunBytes);
      this.#begunBytes += wanted.length;
      rest = rest.subarray(wanted.length);
      if (this.#begunBytes < this.#rowBytes) return;
      this.#begunBytes = 0;
      this.#pack(this.#begun, 1);
    }
    const most = Math.max(1, Math.floor(STAGING_BYTES / this.#rowBytes));
    while (rest.length >= this.#rowBytes) {
      const count = Math.min(most, Math.floor(rest.length / this.#rowBytes));
      this.#pack(rest.subarray(0, count * this.#rowBytes), count);
      rest = rest.subarray(count * this.#rowBytes);
    }
    this.#begun.set(rest);
    this.#begunBytes = rest.length;
  }

  /**
   * The matrix, of which all bytes were written.
   * @throws RangeError when some are missing
   */
  finish(): PackedWeights {
    if (this.#row !== this.#weights.rows || this.#begunBytes > 0)
      throw new RangeError(`${this.#source.name} has ${this.#weights.rows} rows, and ${this.#row} were written.`);
    return this.#weights;
  }

  #pack(bytes: Uint8Array, count: number): void {
    const { at, rows, columns } = this.#weights;
    if (this.#row + count > rows) throw new RangeError(`${this.#source.name} has ${rows} rows, and more were written.`);
    const { functions, memory } = this.#kernels;
    const { kind, isExact } = this.#source;
    const as = repackedAs(kind, isExact);
    const packed = as && this.#repack ? this.#repack({ kind, as, ...TENSOR_KINDS[kind] }, bytes) : bytes;
    memory.bytes(this.#staging, packed.length).set(packed);
    functions.packRows(TENSOR_KINDS[as ?? kind].id, at, this.#staging, this.#row, count, columns);
    this.#row += count;
  }
}
