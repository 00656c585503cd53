/** A GPU device that computes nothing and counts what it is told. @module */

export interface GpuCounts {
  buffers: number;
  bindGroups: number;
  pipelines: number;
  dispatches: number;
  submits: number;
  /** Bytes that are read back. */
  readBytes: number;
  /** Bytes that were written and not waited for, of which the browser keeps copies; and most of them at a time. */
  waitingBytes: number;
  mostWaitingBytes: number;
  /** Most storage buffers of a shader. */
  storageBuffers: number;
  /** Workgroups by the label of their shader, and most of a dispatch in a direction. */
  groups: Map<string, number>;
  mostGroups: number;
}

/** Every adapter's. */
const LIMITS = { maxStorageBufferBindingSize: 2 ** 27, maxBufferSize: 2 ** 28 };

export function countingDevice(): { device: GPUDevice; counts: GpuCounts } {
  const counts: GpuCounts = {
    buffers: 0,
    bindGroups: 0,
    pipelines: 0,
    dispatches: 0,
    submits: 0,
    readBytes: 0,
    waitingBytes: 0,
    mostWaitingBytes: 0,
    storageBuffers: 0,
    groups: new Map(),
    mostGroups: 0,
  };
  let shader = '';
  const pass = {
    setPipeline: ({ label }: { label: string }) => (shader = label),
    setBindGroup: () => {},
    dispatchWorkgroups: (x: number, y = 1, z = 1) => {
      counts.dispatches += 1;
      counts.mostGroups = Math.max(counts.mostGroups, x, y, z);
      counts.groups.set(shader, (counts.groups.get(shader) ?? 0) + x * y * z);
    },
    end: () => {},
  };
  const encoder = {
    beginComputePass: () => pass,
    copyBufferToBuffer: (_from: unknown, _at: number, to: { isStaging: boolean }, _to: number, bytes: number) => {
      if (to.isStaging) counts.readBytes += bytes;
    },
    finish: () => ({}),
  };
  const device = {
    limits: LIMITS,
    queue: {
      submit: () => {
        counts.submits += 1;
      },
      writeBuffer: (_to: unknown, _at: number, _data: unknown, _from: number, bytes: number) => {
        counts.waitingBytes += bytes;
        counts.mostWaitingBytes = Math.max(counts.mostWaitingBytes, counts.waitingBytes);
      },
      onSubmittedWorkDone: async () => {
        counts.waitingBytes = 0;
      },
    },
    createBuffer: ({ size, usage }: { size: number; usage: number }) => {
      counts.buffers += 1;
      return {
        size,
        isStaging: (usage & 1) === 1,
        destroy: () => {},
        mapAsync: async () => {},
        getMappedRange: (_at: number, bytes: number) => new ArrayBuffer(bytes),
        unmap: () => {},
      };
    },
    createBindGroupLayout: ({ entries }: GPUBindGroupLayoutDescriptor) => {
      const storage = [...entries].filter(({ buffer }) => buffer?.type !== 'uniform').length;
      counts.storageBuffers = Math.max(counts.storageBuffers, storage);
      return {};
    },
    createPipelineLayout: () => ({}),
    createShaderModule: () => ({}),
    createComputePipelineAsync: async ({ label }: { label: string }) => {
      counts.pipelines += 1;
      return { label };
    },
    createBindGroup: () => {
      counts.bindGroups += 1;
      return {};
    },
    createCommandEncoder: () => encoder,
    destroy: () => {},
  };
  return { device: device as unknown as GPUDevice, counts };
}
