/** Gets hold of the GPU device that WebLLM makes for itself, because WebLLM hides its loss. @module */
import type { InferenceError } from '../../errors/inference-error.js';
import { engineLost } from './engine-lost.js';

/** Watches the device of one engine. */
export class DeviceWatch {
  /** Resolves when the device is gone, unless that was meant (see {@link expectLoss}). */
  readonly lost: Promise<InferenceError>;
  #expected = false;
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

  /** The device is gone: whoever asks the engine for anything now may wait for ever. */
  get isLost(): boolean {
    return this.#gone;
  }

  /**
   * Watches every device that is made through `gpu` from now on. The engine asks `navigator.gpu` itself, so its
   * `requestAdapter` is wrapped.
   * @returns takes the wrapper away again
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

  /** From now on a lost device is our own doing. */
  expectLoss(): void {
    this.#expected = true;
  }

  /** The engine failed in a way that leaves its state unknown: nothing more can be asked of it. */
  giveUp(error: InferenceError): void {
    this.#report(error);
  }

  #watch(adapter: GPUAdapter): void {
    const original = adapter.requestDevice.bind(adapter);
    const requestDevice: GPUAdapter['requestDevice'] = async (descriptor) => {
      const device = await original(descriptor);
      void device.lost.then((info) => {
        if (!this.#expected) this.#report(engineLost('The GPU device was lost.', info));
      });
      return device;
    };
    Object.defineProperty(adapter, 'requestDevice', { configurable: true, value: requestDevice });
  }
}
