/** What a pass dispatches, to be run again by itself. @module */

export interface RecordedDispatch {
  pipeline: GPUComputePipeline;
  group: GPUBindGroup;
  offsets: readonly number[];
  size: readonly [x: number, y: number, z: number];
}

export function replay(pass: GPUComputePassEncoder, dispatches: readonly RecordedDispatch[]): void {
  for (const { pipeline, group, offsets, size } of dispatches) {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group, [...offsets]);
    pass.dispatchWorkgroups(...size);
  }
}

/** Those of what `run` submits. It is computed as always. */
export async function recordDispatches(device: GPUDevice, run: () => Promise<unknown>): Promise<RecordedDispatch[]> {
  const found: RecordedDispatch[] = [];
  const create = device.createCommandEncoder.bind(device);
  device.createCommandEncoder = (descriptor) => {
    const encoder = create(descriptor);
    const begin = encoder.beginComputePass.bind(encoder);
    encoder.beginComputePass = (options) => recording(begin(options), found);
    return encoder;
  };
  try {
    await run();
    return found;
  } finally {
    device.createCommandEncoder = create;
  }
}

function recording(pass: GPUComputePassEncoder, found: RecordedDispatch[]): GPUComputePassEncoder {
  let [pipeline, group, offsets]: [GPUComputePipeline?, GPUBindGroup?, (readonly number[])?] = [];
  const setPipeline = pass.setPipeline.bind(pass);
  const setBindGroup = pass.setBindGroup.bind(pass) as (index: number, group: GPUBindGroup, offsets?: number[]) => void;
  const dispatchWorkgroups = pass.dispatchWorkgroups.bind(pass);
  return Object.assign(pass, {
    setPipeline(next: GPUComputePipeline): undefined {
      pipeline = next;
      setPipeline(next);
    },
    setBindGroup(index: number, next: GPUBindGroup, at: number[] = []): undefined {
      [group, offsets] = [next, at];
      setBindGroup(index, next, at);
    },
    dispatchWorkgroups(x: number, y = 1, z = 1): undefined {
      found.push({ pipeline: pipeline!, group: group!, offsets: offsets!, size: [x, y, z] });
      dispatchWorkgroups(x, y, z);
    },
  });
}
