/** Times what a GPU does. @module */

const [MAP_READ, COPY_SRC, COPY_DST, STORAGE, QUERY_RESOLVE] = [1, 4, 8, 0x80, 0x200];
const NANOSECONDS = 1e9;

/** Of some runs the fastest counts: what else a GPU does only makes it slower. */
const RUNS = 4;

export class GpuTimer {
  readonly device: GPUDevice;
  /** The GPU tells times itself; else they are those between submit and end, without those of nothing. */
  readonly hasTimestamps: boolean;
  #nothing = 0;

  private constructor(device: GPUDevice) {
    this.device = device;
    this.hasTimestamps = device.features.has('timestamp-query');
  }

  static async of(device: GPUDevice): Promise<GpuTimer> {
    const timer = new GpuTimer(device);
    timer.#nothing = await fastest(() => timer.#byClock(() => {}));
    return timer;
  }

  /** Seconds of a compute pass. */
  secondsOf(encode: (pass: GPUComputePassEncoder) => void): Promise<number> {
    return fastest(async () => {
      const told = this.hasTimestamps ? await this.#byTimestamps(encode) : 0;
      // Browsers round timestamps.
      return told > 0 ? told : this.#clocked(encode);
    });
  }

  /** Seconds of a copy. */
  secondsOfCopy(from: GPUBuffer, to: GPUBuffer): Promise<number> {
    return fastest(async () => {
      const encoder = this.device.createCommandEncoder();
      encoder.copyBufferToBuffer(from, 0, to, 0, from.size);
      return Math.max(1e-9, (await this.#submitted(encoder)) - this.#nothing);
    });
  }

  buffer(size: number): GPUBuffer {
    return this.device.createBuffer({ size, usage: STORAGE | COPY_SRC | COPY_DST });
  }

  async #clocked(encode: (pass: GPUComputePassEncoder) => void): Promise<number> {
    return Math.max(1e-9, (await this.#byClock(encode)) - this.#nothing);
  }

  async #byClock(encode: (pass: GPUComputePassEncoder) => void): Promise<number> {
    const encoder = this.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    encode(pass);
    pass.end();
    return this.#submitted(encoder);
  }

  async #submitted(encoder: GPUCommandEncoder): Promise<number> {
    const { queue } = this.device;
    const started = performance.now();
    queue.submit([encoder.finish()]);
    await queue.onSubmittedWorkDone();
    return (performance.now() - started) / 1000;
  }

  async #byTimestamps(encode: (pass: GPUComputePassEncoder) => void): Promise<number> {
    const { device } = this;
    const querySet = device.createQuerySet({ type: 'timestamp', count: 2 });
    const [told, staging] = [QUERY_RESOLVE | COPY_SRC, MAP_READ | COPY_DST].map((usage) =>
      device.createBuffer({ size: 16, usage }),
    ) as [GPUBuffer, GPUBuffer];
    const encoder = device.createCommandEncoder();
    const timestampWrites = { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 };
    const pass = encoder.beginComputePass({ timestampWrites });
    encode(pass);
    pass.end();
    encoder.resolveQuerySet(querySet, 0, 2, told, 0);
    encoder.copyBufferToBuffer(told, 0, staging, 0, 16);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(MAP_READ);
    const [begin, end] = new BigUint64Array(staging.getMappedRange()) as unknown as [bigint, bigint];
    const seconds = Number(end - begin) / NANOSECONDS;
    for (const made of [querySet, told, staging]) made.destroy();
    return seconds;
  }
}

async function fastest(run: () => Promise<number>): Promise<number> {
  let least = Infinity;
  for (let index = 0; index < RUNS; index++) least = Math.min(least, await run());
  return least;
}

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
  const [from, to] = [timer.buffer(bytes), timer.buffer(bytes)];
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
  const copied = await timer.secondsOfCopy(from, to);
  for (const buffer of [from, to]) buffer.destroy();
  return { read: bytes / seconds, copy: (2 * bytes) / copied };
}
