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
  /** Products are multiplied by one of its numbers. */
  scale?: { tensor: GgufTensor; index: number } | undefined;
}

/** Kinds that have such numbers beside them. */
const SCALED: ReadonlySet<string> = new Set(['NVFP4']);

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
    this.#checkKind(tensor, columns);
    const scale = this.#scaleOf(tensor, 1);
    let end = 0;
    return sizes.map((rows) => {
      end += rows;
      return { tensor, firstRow: end - rows, rows, ...(scale && { scale: { tensor: scale, index: 0 } }) };
    });
  }

  /**
   * Matrices of as many experts, each of which may be several, one below the other.
   * @param sizes rows of each of an expert's
   * @returns for each of these, those of all experts
   */
  experts(name: string, count: number, columns: number, sizes: readonly number[]): MatrixPlan[][] {
    const each = sizes.reduce((sum, size) => sum + size, 0);
    const tensor = this.#take(name, [columns, each, count]);
    this.#checkKind(tensor, columns);
    const scale = this.#scaleOf(tensor, count);
    let end = 0;
    return sizes.map((rows) => {
      end += rows;
      return Array.from({ length: count }, (_, index) => ({
        tensor,
        firstRow: index * each + end - rows,
        rows,
        ...(scale && { scale: { tensor: scale, index: scale.shape[0] === 1 ? 0 : index } }),
      }));
    });
  }

  #checkKind({ name, kind }: GgufTensor, columns: number): void {
    const packed = packedKindOf(kind);
    if (packed === undefined)
      throw unsupported(this.#file, `its tensor \`${name}\` is of kind ${kind}, which is not supported`);
    const block = columnsOfBlock(packed);
    if (columns % block !== 0)
      throw unsupported(this.#file, `the rows of its tensor \`${name}\` are no multiples of ${block} numbers`);
  }

  /** The numbers beside a tensor whose kind has them. What its own input was divided by is not needed. */
  #scaleOf({ name, kind }: GgufTensor, count: number): GgufTensor | undefined {
    const base = name.replace(/\.weight$/, '');
    if (!SCALED.has(kind)) return undefined;
    this.#left.delete(`${base}.input_scale`);
    const scale = this.#left.get(`${base}.scale`);
    if (!scale) return undefined;
    return this.vector(scale.name, scale.shape[0] === 1 ? 1 : count);
  }

  /** Tensors whose names begin so are not needed. */
  ignore(begin: string): void {
    for (const name of this.#left.keys()) if (name.startsWith(begin)) this.#left.delete(name);
  }

  vector(name: string, size: number): GgufTensor {
    return this.grid(name, [size]);
  }

  /** Vectors in one tensor, one behind the other. */
  parts(name: string, sizes: readonly number[]): GgufTensor[] {
    const whole = this.vector(
      name,
      sizes.reduce((sum, size) => sum + size, 0),
    );
    let end = 0;
    return sizes.map((size) => {
      end += size;
      return { ...whole, shape: [size], offset: whole.offset + (end - size) * 4, bytes: size * 4 };
    });
  }

  /** Numbers in rows, the first of the sizes their length; or in one row where they are one for each. */
  grid(name: string, sizes: readonly number[]): GgufTensor {
    const tensor = this.#take(name, sizes);
    if (tensor.kind !== 'F32')
      throw unsupported(this.#file, `its tensor \`${name}\` is of kind ${tensor.kind}, where only F32 is supported`);
    return tensor;
  }

  gridIfThere(name: string, sizes: readonly number[]): GgufTensor | undefined {
    return this.has(name) ? this.grid(name, sizes) : undefined;
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
