/** Reads made files on a GPU: this machine's, or one in software. @module */
import { matricesOf } from '../../src/engines/gguf/matrices-of.js';
import { planModel } from '../../src/engines/gguf/model-plan.js';
import { Pipelines } from '../../src/engines/gguf/webgpu/pipelines.js';
import { isPlain } from '../../src/engines/gguf/webgpu/plain-layers.js';
import { hasShaders } from '../../src/engines/gguf/webgpu/shaders/kinds.js';
import { gpuOfFile } from '../engines/gguf/support/gpu-of-file.js';
import { anyGpu } from '../engines/gguf/support/software-gpu.js';
import { headerOf } from '../engines/gguf/support/tiny-model.js';

/** Logits after each token, with keys and values in 32 bits; undefined where no shaders compute the file. */
export type ReadOnGpu = (file: Uint8Array, tokens: readonly number[]) => Promise<Float32Array[] | undefined>;

/** @returns what reads files, and what ends it */
export async function openGpuReader(): Promise<{ read: ReadOnGpu; close: () => void }> {
  const found = await anyGpu();
  if (!found) throw new Error('There is no GPU here, and no Chromium whose software could play one.');
  const { adapter, gpu } = found;
  console.warn(`WebGPU: ${adapter.info.description || adapter.info.vendor}`);
  const device = await adapter.requestDevice();
  const pipelines = new Pipelines(device);
  return {
    async read(file, tokens) {
      const plan = planModel(await headerOf(file));
      if (!isPlain(plan) || matricesOf(plan).some(({ tensor }) => !hasShaders(tensor.kind))) return undefined;
      const model = await gpuOfFile(device, file, { pipelines });
      const logits = await model.read(tokens);
      model.forward.destroy();
      return logits;
    },
    close() {
      device.destroy();
      // Dawn ends with the object that its devices come from, which is held until here.
      void gpu;
    },
  };
}
