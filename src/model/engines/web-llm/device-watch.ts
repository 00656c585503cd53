/** Gets hold of the GPU device that WebLLM makes for itself, because WebLLM hides its loss. @module */
import type { InferenceError } from '../../../core/errors/inference-error.js';
import { engineLost } from './engine-lost.js';

/** Watches the device of one engine. */
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

  /** The engine is gone: whoever asks it for anything now may wait for ever. */
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

  /** Nothing more can be asked of the engine: it was ended, or failed in a way that leaves its state unknown. */
  giveUp(error: InferenceError): void {
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
