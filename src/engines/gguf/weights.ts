/** Brings the weights of a file into the kernels' memory, while they stream in. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { Kernels } from './load-kernels.js';
import { columnsOfBlock, packedBytes, packedKindOf, type PackedWeights } from './packed-kinds.js';
import { TENSOR_KINDS, type TensorKind } from './file/tensor-kinds.js';

/** A matrix as the file has it: rows of `columns` numbers, one behind the other. */
export interface MatrixSource {
  /** For messages. */
  name: string;
  kind: TensorKind;
  rows: number;
  columns: number;
}

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
  begin(source: MatrixSource): MatrixWriter {
    const kind = packedKindOf(source.kind);
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
    this.#makeStaging(rowBytes);
    return new MatrixWriter(this.#kernels, { kind, at, rows, columns }, source, { rowBytes, staging: this.#staging });
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
  /** Begin of a row whose end has yet to come. */
  readonly #begun: Uint8Array;
  #begunBytes = 0;
  #row = 0;

  /** @param staging address of memory for some rows of the file */
  constructor(
    kernels: Kernels,
    weights: PackedWeights,
    source: MatrixSource,
    { rowBytes, staging }: { rowBytes: number; staging: number },
  ) {
    this.#kernels = kernels;
    this.#weights = weights;
    this.#source = source;
    this.#rowBytes = rowBytes;
    this.#staging = staging;
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
    memory.bytes(this.#staging, bytes.length).set(bytes);
    functions.packRows(TENSOR_KINDS[this.#source.kind].id, at, this.#staging, this.#row, count, columns);
    this.#row += count;
  }
}
