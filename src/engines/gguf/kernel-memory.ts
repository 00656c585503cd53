/** The memory that the kernels compute in. @module */
import { InferenceError } from '../../core/errors/inference-error.js';

const PAGE = 65_536;
/** 4 GB: what 32-bit pointers reach. */
const MAX_PAGES = 65_536;
/** Cache lines. */
const ALIGNMENT = 64;

/** Hands out memory that lives as long as the model: one that is unloaded drops all of it. */
export class KernelMemory {
  readonly memory: WebAssembly.Memory;
  // The first bytes stay unused, so that no pointer is 0.
  #top = 1024;

  /** @param shared by threads, on a page that is cross-origin isolated */
  constructor({ shared = false } = {}) {
    this.memory = shared ? sharedMemory() : new WebAssembly.Memory({ initial: 1, maximum: MAX_PAGES });
  }

  /** Bytes handed out. */
  get used(): number {
    return this.#top;
  }

  /**
   * Zeroed bytes.
   * @returns where they begin; divisible by 64. Views made before may be detached: take them again
   * @throws InferenceError `insufficient_resources` when the memory cannot grow that far
   */
  allocate(bytes: number): number {
    const at = this.#top;
    const top = Math.ceil((at + bytes) / ALIGNMENT) * ALIGNMENT;
    const missing = Math.ceil((top - this.memory.buffer.byteLength) / PAGE);
    if (missing > 0) {
      try {
        this.memory.grow(missing);
      } catch (cause) {
        const message = `The model needs ${bytes} bytes more memory than the browser provides.`;
        throw new InferenceError('insufficient_resources', message, { neededBytes: top }, { cause });
      }
    }
    this.#top = top;
    return at;
  }

  /** A view of bytes, valid until the next {@link allocate}. */
  bytes(at: number, count: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, at, count);
  }

  copy(from: number, to: number, count: number): void {
    this.bytes(to, count).set(this.bytes(from, count));
  }

  /** A copy of bytes. */
  read(at: number, count: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.bytes(at, count));
  }

  write(at: number, content: Uint8Array): void {
    this.bytes(at, content.length).set(content);
  }

  /** A view of 32-bit integers, valid until the next {@link allocate}. */
  integers(at: number, count: number): Int32Array {
    return new Int32Array(this.memory.buffer, at, count);
  }

  /** A view of numbers, valid until the next {@link allocate}. */
  floats(at: number, count: number): Float32Array {
    return new Float32Array(this.memory.buffer, at, count);
  }
}

/** Browsers reserve the addresses of shared memory at once, and phones have fewer of them. */
function sharedMemory(maximum = MAX_PAGES): WebAssembly.Memory {
  try {
    return new WebAssembly.Memory({ initial: 1, maximum, shared: true });
  } catch (thrown) {
    if (maximum <= MAX_PAGES / 8) throw thrown;
    return sharedMemory(maximum / 2);
  }
}
