/** Starts the kernels. @module */
import { readKernels } from 'virtual:gguf-kernels';
import { InferenceError } from '../../core/errors/inference-error.js';
import { chooseBuild, isFasterByRow, type KernelBuild } from './choose-build.js';
import type { KernelExports } from './kernel-exports.js';
import { KernelMemory } from './kernel-memory.js';
import { withSharedMemory } from './shared-memory.js';

export type { KernelBuild };

/** Running kernels. */
export interface Kernels {
  readonly build: KernelBuild;
  readonly memory: KernelMemory;
  readonly functions: KernelExports;
  /** For more threads, which call {@link startKernels} with it on the same memory. */
  readonly module: WebAssembly.Module;
}

/**
 * @param build a certain one, for tests; by default the fastest that is right here
 * @param options.shared the memory is one that threads share; needs a page that is cross-origin isolated
 * @throws InferenceError `unavailable` when the page's server does not give the file
 */
export async function loadKernels(build?: KernelBuild, { shared = false } = {}): Promise<Kernels> {
  const chosen = build ?? (await chooseBuild());
  const wasm = await readKernels(chosen, isFasterByRow()).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The kernels of the GGUF engine could not be downloaded: ${reason}.`;
    throw new InferenceError('unavailable', message, {}, { cause });
  });
  const module = await WebAssembly.compile(shared ? withSharedMemory(wasm) : wasm);
  const memory = new KernelMemory({ shared });
  return { build: chosen, memory, functions: await startKernels(module, memory.memory), module };
}

/** The kernels on a memory that there is already: what each thread calls. */
export async function startKernels(module: WebAssembly.Module, memory: WebAssembly.Memory): Promise<KernelExports> {
  const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
  const kernels = exports as unknown as KernelExports;
  return kernels.multiplyByRow ? { ...kernels, multiply: kernels.multiplyByRow } : kernels;
}
