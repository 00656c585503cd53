/** Brings the weights of a decoder into the kernels' memory. @module */
import type { GgufHeader, ReadRange } from './file/header.js';
import type { Kernels } from './load-kernels.js';
import { loadTensors, repackerOf, tensorBytes, type WantedTensors } from './load-tensors.js';
import { matricesOf } from './matrices-of.js';
import type { ModelPlan } from './model-plan.js';
import type { MatrixPlan } from './model-tensors.js';
import { readBlocks } from './read-blocks.js';
import { type InputTable, type Layer, type ModelWeights, partsOf, type TableRows } from './model-weights.js';
import type { StoredTable } from './stored-rows.js';

/** With the layers that only some models have, where it is one of them. */
export type LoadedWeights = ModelWeights & { blocks?: typeof import('./gguf-blocks.js') | undefined };

/** Bytes that a file's weights occupy. @param isStored a table of inputs stays in the store */
export const weightBytes = (plan: ModelPlan, isExact: boolean, isStored = false): number =>
  tensorBytes({ ...wantedTensors(plan, isStored), isExact });

function wantedTensors(plan: ModelPlan, isStored: boolean): WantedTensors {
  const { outputNorm, ropeFactors, layers, layerInputs } = plan;
  const ofLayers = layers.flatMap((layer) => partsOf(layer.vectors));
  const vectors = [outputNorm, ropeFactors, layerInputs?.norm, ...ofLayers];
  return { matrices: matricesOf(plan, { isStored }), vectors: vectors.filter((tensor) => tensor !== undefined) };
}

/** A table of inputs whose rows are read where the file is stored. */
export async function storedRows(kernels: Kernels, table: Omit<StoredTable, 'repack'>): Promise<TableRows> {
  const [{ StoredRows }, repack] = await Promise.all([readBlocks(), repackerOf([table.plan])]);
  return new StoredRows(kernels, { ...table, repack });
}

interface LoadOptions {
  kernels: Kernels;
  isExact?: boolean;
  /** Reads the file at any place later on: a table of inputs then stays where it is. */
  readStored?: ReadRange | undefined;
}

/**
 * @param read is called in order, without overlaps
 * @returns the weights, and the divisors of RoPE's frequencies
 * @throws InferenceError `insufficient_resources`, `unavailable` for a file that ends too early; what `read` throws
 */
export async function loadWeights(
  plan: ModelPlan,
  { file }: GgufHeader,
  { kernels, isExact = false, readStored }: LoadOptions,
  read: ReadRange,
): Promise<{ weights: LoadedWeights; ropeFactors: Float32Array | undefined }> {
  const wanted = wantedTensors(plan, readStored !== undefined);
  const { matrix, vector } = await loadTensors({ ...wanted, isExact }, file, kernels, read);
  const { embedding, head, outputNorm, ropeFactors, layers, layerInputs } = plan;
  const { recurrent, experts } = plan.shape;
  const blocks = recurrent || experts || layerInputs ? await readBlocks() : undefined;
  const inputTable = async (table: MatrixPlan): Promise<InputTable> => {
    if (!readStored) return matrix(table);
    return storedRows(kernels, { plan: table, read: readStored, isExact });
  };
  return {
    weights: {
      blocks,
      embedding: matrix(embedding),
      head: matrix(head),
      outputNorm: vector(outputNorm),
      layers: layers.map(({ matrices, vectors, experts }): Layer => ({
        ...mapValues(matrices, (part) => part && matrix(part)),
        ...mapValues(vectors, (tensor) => tensor && vector(tensor)),
        ...(experts && { experts: mapValues(experts, (parts) => parts.map(matrix)) }),
      })),
      layerInputs: layerInputs && {
        table: await inputTable(layerInputs.table),
        projection: matrix(layerInputs.projection),
        norm: vector(layerInputs.norm),
      },
    },
    ropeFactors: ropeFactors && kernels.memory.floats(vector(ropeFactors), ropeFactors.shape[0]!).slice(),
  };
}

function mapValues<Parts extends object, To>(
  parts: Parts,
  map: (part: Parts[keyof Parts]) => To,
): { [Name in keyof Parts]: To } {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, map(part as Parts[keyof Parts])])) as {
    [Name in keyof Parts]: To;
  };
}
