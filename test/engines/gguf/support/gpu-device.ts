/** A device for the tests of a file. @module */
import { Pipelines } from '../../../../src/engines/gguf/webgpu/pipelines.js';

export interface TestDevice {
  device: GPUDevice;
  /** What a test has compiled others need not compile. */
  pipelines: Pipelines;
  /** What nobody caught. */
  errors: string[];
}

/** With default limits, and no feature. */
export async function openTestDevice(gpu: GPU): Promise<TestDevice> {
  const adapter = await gpu.requestAdapter();
  const device = await adapter!.requestDevice();
  const errors: string[] = [];
  device.addEventListener('uncapturederror', ({ error }) => errors.push(error.message));
  return { device, pipelines: new Pipelines(device), errors };
}
