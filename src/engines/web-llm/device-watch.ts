/** Observes the GPU device that WebLLM makes for itself, because WebLLM does not report its loss. @module */
import { InferenceError } from '../../core/errors/inference-error.js';

/** Reports when one engine's device is lost. */
export class DeviceWatch {
  /** Resolves with the first reason why the engine cannot answer any more. */
  readonly lost: Promise<InferenceError>;
  #gone = false;
  #report!: (error: InferenceError) => void;

  constructor() {
    this.lost = new Promise((resolve) => {
      this.#report = (error) => {
        this.#gone = true;
        resolve(error);
      };
    });
  }

  /** The engine is lost. Calls to it may never return. */
  get isLost(): boolean {
    return this.#gone;
  }

  /**
   * Watches every device that is made through `gpu` from now on. WebLLM uses `navigator.gpu` itself, so
   * `requestAdapter` is wrapped.
   * @returns removes the wrapper
   */
  attach(gpu: GPU): () => void {
    const own = Object.getOwnPropertyDescriptor(gpu, 'requestAdapter');
    const original = gpu.requestAdapter.bind(gpu);
    const requestAdapter: GPU['requestAdapter'] = async (options) => {
      const adapter = await original(options);
      if (adapter) this.#watch(adapter);
      return adapter;
    };
    Object.defineProperty(gpu, 'requestAdapter', { configurable: true, value: requestAdapter });
    return () => {
      if (own) Object.defineProperty(gpu, 'requestAdapter', own);
      else Reflect.deleteProperty(gpu, 'requestAdapter');
    };
  }

  /** Declares the engine lost: it was ended, or a failure left its state unknown. */
  abort(error: InferenceError): void {
    this.#report(error);
  }

  #watch(adapter: GPUAdapter): void {
    const original = adapter.requestDevice.bind(adapter);
    const requestDevice: GPUAdapter['requestDevice'] = async (descriptor) => {
      const device = await original(descriptor);
      void device.lost.then((info) => this.#report(engineLost('The GPU device was lost.', info)));
      return device;
    };
    Object.defineProperty(adapter, 'requestDevice', { configurable: true, value: requestDevice });
  }
}

/** About as long as loading from the cache takes. */
const RETRY_SECONDS = 5;

/** `unavailable`: the scheduler loads the model again from the cache, so the caller may retry. @param reason a sentence for the caller */
export function engineLost(reason: string, cause: unknown): InferenceError {
  return new InferenceError(
    'unavailable',
    `${reason} The model is loaded again; try again.`,
    { retryAfter: RETRY_SECONDS },
    { cause },
  );
}
