/** Finds the GPU for all engines. @module */
import { settledWithin } from '../../core/platform/settled-within.js';

/** Milliseconds. A browser whose GPU process hangs may never answer. */
const ADAPTER_TIMEOUT_MS = 10_000;

/** The faster GPU if there are two; undefined when there is none or the browser does not answer in time. */
export async function findAdapter(gpu: GPU | undefined): Promise<GPUAdapter | undefined> {
  const asked = gpu?.requestAdapter({ powerPreference: 'high-performance' });
  return asked && ((await settledWithin(asked, ADAPTER_TIMEOUT_MS).catch(() => null)) ?? undefined);
}

/** This thread's WebGPU; undefined where there is none, whatever its declaration says. */
export function ownGpu(): GPU | undefined {
  return typeof navigator === 'undefined' ? undefined : navigator.gpu;
}
