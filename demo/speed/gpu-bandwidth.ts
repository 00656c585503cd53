/** How fast the memory of a GPU is. @module */
import type { GpuTimer } from '../../src/engines/gguf/webgpu/gpu-timer.js';

/** Of buffers: copied from and to, and read by shaders. */
const USAGE = 4 | 8 | 0x80;

const READ = /* wgsl */ `
@group(0) @binding(0) var<storage, read> data: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(256) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) t: u32) {
  var sum = vec4u(); let count = arrayLength(&data);
  for (var i = wg.x * 256u + t; i < count; i += groups.x * 256u) { sum += data[i]; }
  let all = sum.x + sum.y + sum.z + sum.w;
  if (all == 0x9e3779b9u) { result[0] = all; }
}`;

/** Bytes a second of a GPU's memory: read by a shader; and read and written by a copy. */
export async function measureBandwidth(timer: GpuTimer, bytes: number): Promise<{ read: number; copy: number }> {
  const { device } = timer;
  const [from, to] = [0, 1].map(() => device.createBuffer({ size: bytes, usage: USAGE })) as [GPUBuffer, GPUBuffer];
  const module = device.createShaderModule({ code: READ });
  const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint: 'main' } });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [from, to].map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
  const seconds = await timer.secondsOf((pass) => {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(Math.min(4096, Math.ceil(bytes / 4096)));
  });
  const copied = await timer.clocked((encoder) => encoder.copyBufferToBuffer(from, 0, to, 0, bytes));
  for (const buffer of [from, to]) buffer.destroy();
  return { read: bytes / seconds, copy: (2 * bytes) / copied };
}
