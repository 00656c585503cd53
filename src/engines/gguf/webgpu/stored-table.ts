/** A table that stays in the store while a GPU computes: rows of the tokens that a pass reads are unpacked by the kernels. @module */
import type { ReadRange } from '../file/header.js';
import { loadKernels } from '../load-kernels.js';
import { storedRows } from '../load-weights.js';
import type { MatrixPlan } from '../model-tensors.js';

export interface StoredTable {
  /** Brings rows into memory; undefined: they are there, until the next call. */
  bring(tokens: readonly number[]): Promise<void> | undefined;
  /** @throws Error for a row that was not brought */
  rowOf(token: number): Float32Array<ArrayBuffer>;
}

/** @param read reads the stored file at any place */
export async function openTable(plan: MatrixPlan, read: ReadRange): Promise<StoredTable> {
  const kernels = await loadKernels();
  const rows = await storedRows(kernels, { plan, read, isExact: true });
  const columns = plan.tensor.shape[0]!;
  return {
    bring: (tokens) => rows.bring(tokens),
    rowOf: (token) => kernels.memory.floats(rows.rowOf(token), columns).slice(),
  };
}
