/** What a model costs before it is fetched, and whether it runs on this device. Public. @module */

/** Why a model may not run here. */
export interface EstimateReason {
  /**
   * `storage`: more bytes are missing than the browser has room for. `memory`: it needs a large part of the memory. `webgpu`:
   * it needs WebGPU, and there is no adapter. `shader-f16`: its precision needs 16-bit floats, which the adapter lacks.
   */
  code: 'storage' | 'memory' | 'webgpu' | 'shader-f16';
  /** A sentence for people. */
  message: string;
  /** What to do about it, as a sentence. */
  cure?: string;
}

/** What loading a model would fetch, and whether it runs here. */
export interface ModelEstimate {
  /** Id of the entry. */
  model: string;
  /** Of all its files; null: their source does not state it. */
  bytes: number | null;
  /** Of those that are not on this device yet; null: not known. */
  missingBytes: number | null;
  /** URL of the folder that the files come from; absent: it has none. */
  source?: string;
  /** Name of the license, as far as it is known. */
  license?: string;
  /** `no`: it cannot run here. `tight`: it may fail or be slow. `unknown`: its size is not stated. */
  verdict: 'no' | 'tight' | 'fits' | 'unknown';
  /** Why the verdict is not `fits`. */
  reasons: EstimateReason[];
}

/** @internal What a device has. */
export interface DeviceFacts {
  /** Bytes that may still be stored; undefined: the browser does not say. */
  roomBytes: number | undefined;
  /** Gigabytes of main memory. */
  memoryGB: number;
  /** Undefined: there is no WebGPU adapter. */
  gpu: { halfFloats: boolean; isSoftware?: boolean } | undefined;
}

/** @internal What a model asks of a device. */
export interface ModelNeeds {
  bytes: number | null;
  missingBytes: number | null;
  /** It runs on a GPU only. */
  needsGpu: boolean;
  /** Its precision computes with 16-bit floats. */
  needsHalfFloats: boolean;
}

/** @internal Of the memory, above which idle models are unloaded; of the room, above which other things have none. */
export const TIGHT = { memory: 0.5, room: 0.8 };

/** @internal The verdict about a model, by what it needs and what there is. */
export function judgeModel(needs: ModelNeeds, device: DeviceFacts): Pick<ModelEstimate, 'verdict' | 'reasons'> {
  const { bytes, missingBytes } = needs;
  const impossible: EstimateReason[] = [];
  const tight: EstimateReason[] = [];
  if (needs.needsGpu && !device.gpu) {
    impossible.push({
      code: 'webgpu',
      message: 'The model needs WebGPU, and this browser has no adapter for it.',
      cure: 'Use a browser with WebGPU, or a model that runs on WASM.',
    });
  } else if (needs.needsHalfFloats && !device.gpu?.halfFloats) {
    impossible.push({
      code: 'shader-f16',
      message: 'Its precision needs 16-bit floats (`shader-f16`), which this GPU does not have.',
      cure: 'Choose a precision with 32-bit floats, such as q4 or q4f32.',
    });
  }
  const { roomBytes } = device;
  if (missingBytes !== null && missingBytes > 0 && roomBytes !== undefined) {
    const storage = {
      code: 'storage',
      message: `Its files need ${megabytes(missingBytes)} more, and the browser has ${megabytes(roomBytes)} left.`,
      cure: 'Remove other models, or free space on the disk.',
    } as const;
    if (missingBytes > roomBytes) impossible.push(storage);
    else if (missingBytes > roomBytes * TIGHT.room) tight.push(storage);
  }
  if (bytes !== null && bytes > device.memoryGB * 2 ** 30 * TIGHT.memory) {
    tight.push({
      code: 'memory',
      message: `Its weights of ${megabytes(bytes)} are more than half of this device's memory.`,
      cure: 'Close other pages, or choose a smaller model.',
    });
  }
  const reasons = [...impossible, ...tight];
  if (impossible.length > 0) return { verdict: 'no', reasons };
  if (tight.length > 0) return { verdict: 'tight', reasons };
  return { verdict: bytes === null ? 'unknown' : 'fits', reasons };
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6).toLocaleString('en')} MB`;
