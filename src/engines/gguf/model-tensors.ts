/** The tensors of a file, each of which must be asked for, in the shape that the model needs. @module */
import { shown, unsupported } from './file/file-problems.js';
import type { GgufHeader, GgufTensor } from './file/header.js';
import { columnsOfBlock, packedKindOf } from './packed-kinds.js';

/** A matrix: all rows of a tensor, or some that follow each other. */
export interface MatrixPlan {
  tensor: GgufTensor;
  /** Divisible by 4. */
  firstRow: number;
  rows: number;
}

export class ModelTensors {
  readonly #file: string;
  readonly #left: Map<string, GgufTensor>;

  constructor({ file, tensors }: Pick<GgufHeader, 'file' | 'tensors'>) {
    this.#file = file;
    this.#left = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  }

  has(name: string): boolean {
    return this.#left.has(name);
  }

  /** A matrix with any number of rows. */
  table(name: string, columns: number): MatrixPlan {
    const rows = this.#left.get(name)?.shape[1] ?? 1;
    return this.matrix(name, columns, rows);
  }

  matrix(name: string, columns: number, rows: number): MatrixPlan {
    return this.slices(name, columns, [rows])[0]!;
  }

  matrixIfThere(name: string, columns: number, rows: number): MatrixPlan | undefined {
    return this.has(name) ? this.matrix(name, columns, rows) : undefined;
  }

  /** Several matrices in one tensor, one below the other. @param sizes rows of each */
  slices(name: string, columns: number, sizes: readonly number[]): MatrixPlan[] {
    const tensor = this.#take(name, [columns, sizes.reduce((sum, size) => sum + size, 0)]);
    const kind = packedKindOf(tensor.kind);
    if (kind === undefined)
      throw unsupported(this.#file, `its tensor \`${name}\` is of kind ${tensor.kind}, which is not supported`);
    const block = columnsOfBlock(kind);
    if (columns % block !== 0)
      throw unsupported(this.#file, `the rows of its tensor \`${name}\` are no multiples of ${block} numbers`);
    let end = 0;
    return sizes.map((rows) => {
      end += rows;
      return { tensor, firstRow: end - rows, rows };
    });
  }

  vector(name: string, size: number): GgufTensor {
    const tensor = this.#take(name, [size]);
    if (tensor.kind !== 'F32')
      throw unsupported(this.#file, `its tensor \`${name}\` is of kind ${tensor.kind}, where only F32 is supported`);
    return tensor;
  }

  vectorIfThere(name: string, size: number): GgufTensor | undefined {
    return this.has(name) ? this.vector(name, size) : undefined;
  }

  refuseOthers(): void {
    for (const name of this.#left.keys())
      throw unsupported(this.#file, `it has the tensor \`${shown(name)}\`, which this architecture does not use`);
  }

  #take(name: string, sizes: readonly number[]): GgufTensor {
    const tensor = this.#left.get(name);
    if (!tensor) throw unsupported(this.#file, `it has no tensor \`${name}\``);
    this.#left.delete(name);
    const { shape } = tensor;
    // Dimensions of 1 at the end say nothing.
    const isRight =
      sizes.every((size, index) => (shape[index] ?? 1) === size) &&
      shape.slice(sizes.length).every((size) => size === 1);
    if (!isRight)
      throw unsupported(
        this.#file,
        `its tensor \`${shown(name)}\` has the shape ${shape.join(' × ')}, which does not fit the model`,
      );
    return tensor;
  }
}
