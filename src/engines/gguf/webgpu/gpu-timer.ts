/** Times what a GPU does. @module */

const [MAP_READ, COPY_SRC, COPY_DST, QUERY_RESOLVE] = [1, 4, 8, 0x200];
const NANOSECONDS = 1e9;

/** Of some runs the fastest counts: what else a GPU does only makes it slower. */
const RUNS = 4;
/** What takes no time is a mistake of a clock. */
const LEAST = 1e-9;

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
    timer.#nothing = await timer.clocked((encoder) => encoder.beginComputePass().end());
    return timer;
  }

  /** Seconds of a compute pass. */
  secondsOf(encode: (pass: GPUComputePassEncoder) => void, runs = RUNS): Promise<number> {
    return fastest(runs, async () => {
      const told = this.hasTimestamps ? await this.#byTimestamps(encode) : 0;
      if (told > 0) return told;
      // Browsers round timestamps.
      return this.#clockedOnce((encoder) => {
        const pass = encoder.beginComputePass();
        encode(pass);
        pass.end();
      });
    });
  }

  /** Seconds between submit and end of any commands. */
  clocked(encode: (encoder: GPUCommandEncoder) => void): Promise<number> {
    return fastest(RUNS, () => this.#clockedOnce(encode));
  }

  async #clockedOnce(encode: (encoder: GPUCommandEncoder) => void): Promise<number> {
    const { device } = this;
    const encoder = device.createCommandEncoder();
    encode(encoder);
    const started = performance.now();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    return Math.max(LEAST, (performance.now() - started) / 1000 - this.#nothing);
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

async function fastest(runs: number, run: () => Promise<number>): Promise<number> {
  let least = Infinity;
  for (let index = 0; index < runs; index++) least = Math.min(least, await run());
  return least;
}
