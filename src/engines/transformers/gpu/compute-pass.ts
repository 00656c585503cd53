/** Small steps of WebGPU's compute passes. @module */

/** A new buffer with these words. @param usage besides being filled */
export function filledBuffer(
  device: GPUDevice,
  words: Uint32Array | Int32Array,
  usage: GPUBufferUsageFlags,
): GPUBuffer {
  // Uniforms are multiples of 16 bytes.
  const size = Math.ceil(words.byteLength / 16) * 16;
  const buffer = device.createBuffer({ size, usage, mappedAtCreation: true });
  new Uint32Array(buffer.getMappedRange()).set(words);
  buffer.unmap();
  return buffer;
}

/** @param resources by the number of their binding */
export function bindGroup(
  device: GPUDevice,
  layout: GPUBindGroupLayout,
  resources: readonly GPUBindingResource[],
): GPUBindGroup {
  return device.createBindGroup({ layout, entries: resources.map((resource, binding) => ({ binding, resource })) });
}

/** Passes that are queued together. */
export interface ComputeQueue {
  encoder: GPUCommandEncoder;
  /** Buffers that whoever submits the passes destroys afterwards. */
  temporary: GPUBuffer[];
}

/** Queues one pass of workgroups. */
export function dispatch(
  { encoder }: ComputeQueue,
  pipeline: GPUComputePipeline,
  group: GPUBindGroup,
  { columns, rows }: { columns: number; rows: number },
): void {
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(columns, rows);
  pass.end();
}
