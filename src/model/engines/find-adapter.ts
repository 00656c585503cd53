/** The GPU that engines compute on. @module */
import { settledWithin } from '../../core/platform/settled-within.js';

/** Milliseconds. A browser whose GPU process restarts or hangs owes an answer for long, and then there is no GPU. */
const DEADLINE = 10_000;

/** The fast one where there are two; undefined where there is none, or none is found in time. */
export async function findAdapter(gpu: GPU | undefined): Promise<GPUAdapter | undefined> {
  const asked = gpu?.requestAdapter({ powerPreference: 'high-performance' });
  return asked && ((await settledWithin(asked, DEADLINE).catch(() => null)) ?? undefined);
}

/** This realm's WebGPU. Types say that every navigator has it. */
export function ownGpu(): GPU | undefined {
  return typeof navigator === 'undefined' ? undefined : navigator.gpu;
}
